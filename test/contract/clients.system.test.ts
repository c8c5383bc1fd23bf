/** The description as other people's tools take it: linters, validators, generators, and doorlock's own marketplace. */
import { cp, mkdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import spectral from "@stoplight/spectral-core"
import { oas } from "@stoplight/spectral-rulesets"
import Ajv from "ajv/dist/2020.js"
import { Effect } from "effect"
import { Api } from "../../src/api.ts"
import { describe } from "../../src/http/contract/openapi.ts"
import { send } from "../support/client.ts"
import { startServer } from "../support/server.ts"

const document = describe(Api, "https://doorlock.test")

const root = join(import.meta.dirname, "../..")

const object = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {}

/** Every schema below `value`, with its place. */
const schemasIn = (value: unknown, at: string): ReadonlyArray<readonly [string, object]> => {
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const place = `${at}/${encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))}`
    const own = key === "schema" ? [[place, object(inner)] as const] : []
    const named =
      at.endsWith("components/schemas") && key !== "schema" ? [[place, object(inner)] as const] : []
    return [...own, ...named, ...schemasIn(inner, place)]
  })
}

const operations = Object.entries(object(document.paths)).flatMap(([path, methods]) =>
  Object.entries(object(methods)).map(([method, operation]) => ({
    name: `${method} ${path}`,
    operation: object(operation)
  }))
)

it("Spectral finds nothing", async () => {
  const linter = new spectral.Spectral()
  // The cast: the two packages write the type of the same rules differently.
  linter.setRuleset(oas as Parameters<typeof linter.setRuleset>[0])
  const found = await linter.run(JSON.stringify(document))
  expect(found.map(({ code, message, path }) => `${code} ${path.join("/")} ${message}`)).toEqual([])
})

it("Ajv 2020 compiles the whole document and every schema in it", () => {
  const ajv = new Ajv({ strict: false, validateFormats: false })
  ajv.addSchema(document, "doorlock")
  const schemas = schemasIn(document, "#")
  expect(schemas.length).toBeGreaterThan(300)
  for (const [at] of schemas) expect(() => ajv.getSchema(`doorlock${at}`), at).not.toThrow()
  expect(JSON.stringify(document)).not.toContain('"$id"')
})

it("a POST that needs no body requires none", () => {
  const demanding = operations.flatMap(({ name, operation }) => {
    const { content, required } = object(operation.requestBody)
    const schema = object(object(object(content)["application/json"]).schema)
    return required === true && JSON.stringify(schema).includes("NoFields") ? [name] : []
  })
  expect(demanding).toEqual([])
  const bodies = new Map(operations.map(({ name, operation }) => [name, operation.requestBody]))
  expect(bodies.get("post /api/auth/logout")).toBeUndefined()
  expect(object(bodies.get("post /api/api-marketplace/keys/{id}/rotate")).required).toBe(false)
  expect(object(bodies.get("post /api/kyc/public/sessions")).required).toBe(true)
})

const parameters = operations
  .flatMap(({ name: operation, operation: { parameters } }) =>
    (Array.isArray(parameters) ? parameters : []).map((parameter) => ({ operation, ...object(parameter) }))
  )
  .map(object)

it("describes every parameter, once", () => {
  expect(parameters.length).toBeGreaterThan(60)
  const undescribed = parameters.filter(
    ({ description, schema }) => typeof description !== "string" || "description" in object(schema)
  )
  expect(undescribed.map(({ name, operation }) => `${operation}: ${name}`)).toEqual([])
})

it("numbers of a query are numbers, booleans are booleans, and ids are UUIDs", () => {
  const typesOf = (wanted: (name: string) => boolean) =>
    new Set(
      parameters.flatMap(({ name, schema }) => {
        const { format, type } = object(schema)
        return wanted(String(name)) ? [`${type} ${format ?? ""}`.trim()] : []
      })
    )
  expect(typesOf((name) => name === "limit" || name === "offset")).toEqual(new Set(["integer"]))
  expect(typesOf((name) => name === "expired" || name === "original")).toEqual(new Set(["boolean"]))
  const likeBooleans = parameters.filter(({ schema }) => /"true"|"false"/.test(JSON.stringify(schema)))
  expect(likeBooleans).toEqual([])
  expect(typesOf((name) => /^id$|Id$/.test(name))).toEqual(new Set(["string uuid"]))
})

const run = (...command: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const child = Bun.spawn([...command], { cwd: root, stdout: "pipe", stderr: "pipe" })
    const [stdout, stderr, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited
    ])
    return { code, output: stdout + stderr }
  })

it.scopedLive(
  "openapi-typescript and openapi-fetch give a client that uses KYC and the marketplace without a cast",
  () =>
    Effect.gen(function* () {
      const server = yield* startServer({ GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true" })
      // Below node_modules, where the client finds its packages.
      const directory = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const made = join(root, "node_modules/.cache", `doorlock-clients-${crypto.randomUUID()}`)
          await mkdir(made, { recursive: true })
          return made
        }),
        (made) => Effect.promise(() => rm(made, { recursive: true, force: true }))
      )
      const walk = join(directory, "walk.ts")
      const description = join(directory, "openapi.json")
      const { text } = yield* send(server, "GET", "/openapi.json")
      yield* Effect.promise(async () => {
        await Bun.write(description, text)
        await cp(join(import.meta.dirname, "clients/walk.ts"), walk)
      })
      const types = join(directory, "schema.d.ts")
      const generator = join(import.meta.dirname, "clients/generate.ts")
      expect(yield* run(process.execPath, generator, description, types)).toEqual({ code: 0, output: "" })
      const compiled = yield* run(
        join(root, "node_modules/.bin/tsc"),
        ...["--strict", "--noEmit", "--target", "esnext", "--module", "preserve", "--types", "bun"],
        ...["--ignoreConfig", "--skipLibCheck", "--allowImportingTsExtensions", walk]
      )
      expect(compiled).toEqual({ code: 0, output: "" })
      expect(yield* run(process.execPath, walk, server.url)).toEqual({ code: 0, output: "walked\n" })
    }),
  120_000
)
