/** Documents that were stored before they were checked as they are now. */
import { copyFile, readdir } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { documents } from "../../src/cli/checks/documents.ts"
import { migrate } from "../../src/db/migrations.ts"
import { DocumentStates } from "../../src/marketplace/catalog/document-states-service.ts"
import { FragmentRepo } from "../../src/marketplace/catalog/fragment-repo.ts"
import { fragmentRevision } from "../../src/marketplace/catalog/model.ts"
import { checkStored } from "../../src/marketplace/catalog/stored-documents.ts"
import { field, send } from "../support/client.ts"
import { emptyDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { execute, temporaryFolder } from "../support/postgres.ts"
import { marketplace, openapi, publishedApi, publisherOn, type TestApi } from "../support/publisher.ts"
import { type RunningServer, startServer, startServerOn } from "../support/server.ts"

const good = openapi({ "/x": { get: { responses: { 200: { description: "Good" } } } } })
const bad = openapi({}, { components: { schemas: { a: { $ref: "#/paths" } } } })
const problem =
  "openapi.components.schemas.a.$ref must point into components, paths or webhooks of the document"

/** As an earlier version of doorlock stored it. */
const store = (server: RunningServer, { id }: TestApi, version: string, document: object) =>
  execute(
    server.databaseUrl,
    `insert into api_versions (id, api_id, version, upstream_url, timeout_seconds, openapi)
     values (gen_random_uuid(), $1, $2, 'https://x.test', 30, $3)`,
    [id, version, JSON.stringify(document)]
  )

const described = (server: RunningServer) =>
  Effect.map(send(server, "GET", `${marketplace}/openapi.json`), ({ body }) => ({
    paths: Object.keys(Object(field(body, "paths"))),
    omitted: Object(body)["x-doorlock-omitted"]
  }))

const finding = documents.pipe(Effect.provide(DocumentStates.Default))

it.scopedLive(
  "are left out, and named as unchecked, until they are checked; bad ones are named by doctor",
  () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const api = yield* publishedApi(yield* publisherOn(server, "acme"), undefined, { slug: "pets" })
      yield* store(server, api, "good", good)
      yield* store(server, api, "bad", bad)
      const left = (reason: string, versions: ReadonlyArray<string>) => ({
        total: 1,
        apis: [{ api: "acme/pets", reason, versions, openapi: `${api.path}/openapi.json` }]
      })
      const check = finding.pipe(Effect.provide(server.services))
      expect(yield* described(server)).toEqual({ paths: [], omitted: left("unchecked", ["bad", "good"]) })
      expect(yield* check).toMatchObject({
        status: "warning",
        message: "OpenAPI documents that have not been checked yet: 2."
      })
      yield* checkStored.pipe(Effect.provide(server.services))
      yield* eventually(
        "the description has the good one",
        30_000,
        Effect.map(described(server), ({ paths }) => paths.length === 1)
      )
      expect(yield* described(server)).toEqual({
        paths: ["/acme/pets/v/good/x"],
        omitted: left("refused", ["bad"])
      })
      expect(yield* check).toMatchObject({
        status: "warning",
        message: `OpenAPI documents that are left out of the description of published APIs: 1. acme/pets bad: ${problem}.`
      })
      yield* execute(server.databaseUrl, "delete from api_version_fragments where problem is not null")
      yield* execute(server.databaseUrl, "delete from api_versions where version = 'bad'")
      expect(yield* check).toMatchObject({ status: "ok" })
    })
)

it.scopedLive("are checked after the upgrade that begins to store what they become", () =>
  Effect.gen(function* () {
    const url = yield* emptyDatabase
    const before = yield* temporaryFolder
    const migrations = join(import.meta.dirname, "../../migrations")
    yield* Effect.promise(async () => {
      const names = (await readdir(migrations)).filter((name) => name < "0015")
      await Promise.all(names.map((name) => copyFile(join(migrations, name), join(before, name))))
    })
    const quietly = Logger.withMinimumLogLevel(LogLevel.None)
    yield* quietly(migrate({ url, folder: before }))
    for (const statement of [
      "insert into companies (id, name) values (gen_random_uuid(), 'Acme')",
      "insert into publishers (id, company_id, slug, name) select gen_random_uuid(), id, 'acme', 'Acme' from companies",
      `insert into apis (id, publisher_id, slug, name, description, status, published_at)
       select gen_random_uuid(), id, 'pets', 'Pets', '', 'published', now() from publishers`,
      `insert into api_versions (id, api_id, version, upstream_url, timeout_seconds, openapi)
       select gen_random_uuid(), id, '1', 'https://x.test', 30, '${JSON.stringify(good)}' from apis`
    ]) {
      yield* execute(url, statement)
    }
    yield* quietly(migrate({ url }))
    const server = yield* startServerOn(url)
    yield* eventually(
      "the description has it",
      30_000,
      Effect.map(described(server), ({ paths }) => paths.join() === "/acme/pets/v/1/x")
    )
  })
)

it.scopedLive("are checked by every start", () =>
  Effect.gen(function* () {
    const first = yield* startServer()
    const api = yield* publishedApi(yield* publisherOn(first, "acme"), undefined, { slug: "pets" })
    yield* store(first, api, "2", good)
    const second = yield* startServerOn(first.databaseUrl)
    yield* eventually(
      "the description has it",
      30_000,
      Effect.map(described(second), ({ paths }) => paths.length === 1)
    )
  })
)

it.scopedLive(
  "are checked by one process at a time, and after a minute by the next; once, and again by a later revision",
  () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const api = yield* publishedApi(yield* publisherOn(server))
      yield* store(server, api, "2", good)
      yield* Effect.gen(function* () {
        const repo = yield* FragmentRepo
        const claims = yield* Effect.replicateEffect(repo.claimUnchecked(), 8, { concurrency: "unbounded" })
        expect(claims.filter(({ _tag }) => _tag === "Some")).toHaveLength(1)
        const claimed = Effect.map(repo.claimUnchecked(), ({ _tag }) => _tag)
        const pass = (column: string) =>
          execute(server.databaseUrl, `update api_version_fragments set ${column}`)
        expect(yield* claimed).toBe("None")
        yield* pass("claimed_until = claimed_until - interval '1 minute'")
        expect(yield* claimed).toBe("Some")
        yield* pass("claimed_until = claimed_until - interval '1 minute'")
        yield* checkStored
        expect(yield* claimed).toBe("None")
        yield* pass(`revision = ${fragmentRevision - 1}`)
        expect(yield* claimed).toBe("Some")
      }).pipe(Effect.provide(server.services))
    })
)
