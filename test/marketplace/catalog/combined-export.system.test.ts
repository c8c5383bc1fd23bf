/** The combined description of all published APIs is valid, whatever they are, according to independent validators. */
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { JsonObject } from "../../../src/shared/schemas.ts"
import { lintOpenApi, type OpenApiProblem, validateOpenApi } from "../../contract/lint.ts"
import { field, send } from "../../support/client.ts"
import { addVersion, marketplace, publish, publisherOn } from "../../support/marketplace/publisher.ts"
import { startServer } from "../../support/server.ts"

/** Valid by the specification alone: the style of a document is up to its publisher. */
const isSound = async (document: object) => {
  const problems = await lintOpenApi(document, "spec")
  // Redocly refuses three things that the specification permits: extensions named like its own with other content, and in a
  // 3.1 schema, an unknown keyword (JSON Schema 2020-12, section 6.5) and a boolean schema (section 4.3.2).
  const isAllowed = ({ at, message }: OpenApiProblem) =>
    at.includes("/x-") ||
    message === "Property `nullable` is not expected here." ||
    message === "Expected type `Schema` (object) but got `boolean`"
  const errors = problems.filter((problem) => problem.severity === "error" && !isAllowed(problem))
  expect(errors.slice(0, 5)).toEqual([])
  expect(await validateOpenApi(document)).toEqual({ valid: true })
}

const require = createRequire(import.meta.url)
const examples = dirname(require.resolve("@readme/oas-examples/package.json"))

/** Documents from packages, each at most 1 MiB: hand-written examples, and the descriptions of real services. */
const realDocuments = async (): Promise<ReadonlyArray<readonly [string, JsonObject]>> => {
  const files = [
    ...[...new Bun.Glob("3.*/json/**/*.json").scanSync(examples)].map((file) => join(examples, file)),
    require.resolve("@ideal-postcodes/openapi/dist/openapi.json"),
    require.resolve("rclone-openapi/openapi.json")
  ]
  return Promise.all(files.toSorted().map(async (file) => [file, await Bun.file(file).json()] as const))
}

/** These break the specification: `exclusiveMaximum: true` in 3.1, and no responses. */
const bad = [
  "3.0/json/openapi-workshop/post.json",
  "3.1/json/schema-validation-local.json",
  "3.1/json/schema-validation-top-level.json"
].map((file) => join(examples, file))

it.scopedLive(
  "of sixty real-world documents, published one after the other",
  () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      // Each publisher may store only 4 MiB, so the test needs several.
      const publishers = yield* Effect.forEach(["one", "two", "three"], (slug) => publisherOn(server, slug))
      const refused: Array<string> = []
      let published = 0
      for (const [index, [file, openapi]] of (yield* Effect.promise(realDocuments)).entries()) {
        const publisher = publishers[index % publishers.length]
        if (publisher === undefined) return yield* Effect.die("three publishers")
        const api = yield* publisher.newApi({ slug: `api-${index}` })
        if (bad.includes(file)) {
          const version = { version: "1", upstreamUrl: "https://api.upstream.test", openapi }
          const { status } = yield* publisher.ask("POST", `/apis/${api.id}/versions`, version)
          if (status === 400) refused.push(file)
          continue
        }
        yield* addVersion(publisher, api, { openapi })
        yield* publish(publisher, api)
        published++
      }
      expect(refused).toEqual(bad)
      expect(published).toBeGreaterThanOrEqual(60)
      const { body, status } = yield* send(server, "GET", `${marketplace}/openapi.json`)
      expect([status, Object(body)["x-doorlock-omitted"]]).toEqual([200, undefined])
      expect(
        new Set(Object(field(body, "tags")).map(({ name }: { name: string }) => name.split(" ")[0])).size
      ).toBe(published)
      yield* Effect.promise(() => isSound(Object(body)))
    }),
  300_000
)
