import { Worker } from "node:worker_threads"
import { expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { documents } from "../../../src/marketplace/catalog/checks.ts"
import { DocumentStates } from "../../../src/marketplace/catalog/document-states-service.ts"
import { DocumentWorker } from "../../../src/marketplace/catalog/document-thread.ts"
import { FragmentRepo, FragmentRevisions } from "../../../src/marketplace/catalog/fragment-repo.ts"
import { checkFailures, fragmentRevision, maxTries } from "../../../src/marketplace/catalog/model.ts"
import { OpenApiDocuments } from "../../../src/marketplace/catalog/openapi-documents.ts"
import { checkStored } from "../../../src/marketplace/catalog/stored-documents.ts"
import { field, send } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import {
  marketplace,
  openapi,
  publish,
  publishedApi,
  publisherOn,
  type TestApi,
  upstreamUrl
} from "../../support/marketplace/publisher.ts"
import { execute } from "../../support/postgres.ts"
import { type RunningServer, startServer, startServerOn } from "../../support/server.ts"
import { withTimes } from "../../support/timing.ts"

const good = openapi({ "/x": { get: { responses: { 200: { description: "Good" } } } } })
const bad = openapi({}, { components: { schemas: { a: { $ref: "#/paths" } } } })
const problem =
  "openapi.components.schemas.a.$ref must point to a schema in components, paths or webhooks of the document"

/** Stores a document that no version of the check has seen. */
const store = (server: RunningServer, { id }: TestApi, version: string, document: object) =>
  execute(
    server.databaseUrl,
    `with added as (
       insert into api_versions (id, api_id, version, upstream_url, timeout_seconds, openapi)
       values (gen_random_uuid(), $1, $2, 'https://x.test', 30, $3) returning id
     )
     insert into api_version_fragments (version_id, revision) select id, 0 from added`,
    [id, version, JSON.stringify(document)]
  )

const described = (server: RunningServer) =>
  Effect.map(send(server, "GET", `${marketplace}/openapi.json`), ({ body }) => ({
    paths: Object.keys(Object(field(body, "paths"))),
    omitted: Object(body)["x-doorlock-omitted"]
  }))

const finding = documents.pipe(Effect.provide(DocumentStates.Default))

it.scopedLive("are omitted and listed as unchecked until they are checked; doctor names invalid ones", () =>
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

it.scopedLive("are checked by every process", () =>
  Effect.gen(function* () {
    const first = yield* startServer()
    const api = yield* publishedApi(yield* publisherOn(first, "acme"), undefined, { slug: "pets" })
    yield* store(first, api, "2", good)
    const second = yield* startServerOn(first.databaseUrl)
    yield* second.run("marketplace.documents")
    yield* eventually(
      "the description has it",
      Effect.map(described(second), ({ paths }) => paths.length === 1)
    )
  })
)

it.scopedLive(
  "are checked by one process at a time, after a minute by the next; once, and again by a later revision",
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

const pass = (server: RunningServer, minutes: number) =>
  execute(
    server.databaseUrl,
    `update api_version_fragments set claimed_until = claimed_until - interval '${minutes} minutes'`
  )

it.scopedLive("those with the fewest tries come first, and the wait doubles after each try", () =>
  Effect.gen(function* () {
    const server = yield* startServer()
    const api = yield* publishedApi(yield* publisherOn(server))
    yield* store(server, api, "3", good)
    yield* store(server, api, "2", good)
    yield* Effect.gen(function* () {
      const repo = yield* FragmentRepo
      const claim = Effect.map(repo.claimUnchecked(), Option.getOrUndefined)
      const first = (yield* claim) ?? expect.fail("There are two")
      yield* repo.fail(first.id, checkFailures.tooSlow)
      yield* pass(server, 3)
      const second = (yield* claim) ?? expect.fail("There is another")
      expect(second.id).not.toBe(first.id)
      // No check of it has begun, so it does not go behind the first.
      yield* repo.returnUnbegun(second.id)
      yield* pass(server, 1)
      expect((yield* claim)?.id).toBe(second.id)
      yield* repo.keep(second.id, { problem })
      for (const minutes of [4, 8, 16]) {
        expect((yield* claim)?.id).toBe(first.id)
        yield* repo.fail(first.id, checkFailures.tooSlow)
        yield* pass(server, minutes - 1)
        expect(yield* claim).toBe(undefined)
        yield* pass(server, 1)
      }
      expect((yield* claim)?.id).toBe(first.id)
      yield* repo.fail(first.id, checkFailures.tooSlow)
      yield* pass(server, 10_000)
      expect(yield* claim).toBe(undefined)
    }).pipe(Effect.provide(server.services))
  })
)

it.scopedLive("the reason of a failed check is stored; a check that did not begin is not a try", () =>
  Effect.gen(function* () {
    const failures = (
      title: string,
      start: () => Worker,
      timeouts: Parameters<typeof withTimes>[0]["timeouts"] = {}
    ) =>
      Effect.gen(function* () {
        const server = yield* startServer().pipe(
          Effect.provideService(DocumentWorker, start),
          withTimes({ timeouts })
        )
        const api = yield* publishedApi(yield* publisherOn(server))
        yield* store(server, api, "2", openapi({}, { info: { title, version: "1" } }))
        yield* checkStored.pipe(Effect.provide(server.services))
        return yield* execute(server.databaseUrl, "select tries, failure from api_version_fragments")
      })
    const endless = () => new Worker(new URL("../../support/marketplace/endless-thread.ts", import.meta.url))
    const silent = () => new Worker("setInterval(() => {}, 60_000)", { eval: true })
    expect(yield* failures("endless", endless, { "marketplace.document": 1_000 })).toEqual([
      { tries: 1, failure: checkFailures.tooSlow }
    ])
    expect(yield* failures("broken", endless)).toEqual([{ tries: 1, failure: checkFailures.broken }])
    expect(yield* failures("crash", endless)).toEqual([{ tries: 1, failure: checkFailures.broken }])
    expect(yield* failures("unbegun", silent, { "marketplace.document_thread": 50 })).toMatchObject([
      { tries: 0 }
    ])
  })
)

it.scopedLive(
  "one that failed too often is set aside until its API is published again, and doctor and the description say so",
  () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const publisher = yield* publisherOn(server, "acme")
      const api = yield* publishedApi(publisher, undefined, { slug: "pets" })
      yield* store(server, api, "2", good)
      yield* Effect.gen(function* () {
        const repo = yield* FragmentRepo
        for (let tries = 0; tries < maxTries; tries++) {
          const { id } = Option.getOrThrow(yield* repo.claimUnchecked())
          // The last process stopped during the check, without a report.
          if (tries < maxTries - 1) yield* repo.fail(id, checkFailures.tooSlow)
          yield* pass(server, 10_000)
        }
        expect(yield* finding).toMatchObject({
          status: "warning",
          message: `OpenAPI documents that were set aside because they could not be checked: 1. acme/pets 2: ${checkFailures.unended}.`
        })
        expect(yield* described(server)).toEqual({
          paths: [],
          omitted: {
            total: 1,
            apis: [
              { api: "acme/pets", reason: "set aside", versions: ["2"], openapi: `${api.path}/openapi.json` }
            ]
          }
        })
        // The publication itself changes nothing.
        yield* publish(publisher, api)
        expect((yield* repo.claimUnchecked())._tag).toBe("None")
        yield* publisher.ask("POST", `/apis/${api.id}/unpublish`, {})
        yield* publish(publisher, api)
        yield* checkStored
        expect(yield* finding).toMatchObject({ status: "ok" })
      }).pipe(Effect.provide(server.services))
      yield* eventually(
        "the description has it",
        Effect.map(described(server), ({ paths }) => paths.join() === "/acme/pets/v/2/x")
      )
    })
)

const withRevision = (current: number, oldestServed: number = fragmentRevision) =>
  Effect.provideService(FragmentRevisions, { current, oldestServed })

it.scopedLive("a later revision retries documents that an earlier one set aside", () =>
  Effect.gen(function* () {
    const server = yield* startServer()
    const api = yield* publishedApi(yield* publisherOn(server))
    yield* store(server, api, "2", good)
    yield* execute(
      server.databaseUrl,
      `update api_version_fragments set tries = ${maxTries}, tried_revision = ${fragmentRevision}`
    )
    const claimed = Effect.map(
      Effect.flatMap(FragmentRepo, (repo) => repo.claimUnchecked()),
      ({ _tag }) => _tag
    ).pipe(Effect.provide(FragmentRepo.Default), Effect.provide(server.services))
    expect(yield* claimed).toBe("None")
    expect(yield* claimed.pipe(withRevision(fragmentRevision + 1))).toBe("Some")
  })
)

it.scopedLive("the result of an earlier revision is served until the document is rechecked", () =>
  Effect.gen(function* () {
    const before = yield* startServer()
    const publisher = yield* publisherOn(before, "acme")
    yield* publishedApi(publisher, good, { slug: "pets" })
    const paths = (server: RunningServer) => Effect.map(described(server), ({ paths }) => paths.join())
    const path = "/acme/pets/v/1/x"
    expect(yield* paths(before)).toBe(path)
    const after = yield* startServerOn(before.databaseUrl).pipe(withRevision(fragmentRevision + 1))
    const strict = yield* startServerOn(before.databaseUrl).pipe(
      withRevision(fragmentRevision + 1, fragmentRevision + 1)
    )
    expect([yield* paths(after), yield* paths(strict)]).toEqual([path, ""])
    expect((yield* described(after)).omitted).toBe(undefined)
    // The newer version creates a different fragment. Here it comes from a document with another path.
    const checked = yield* Effect.flatMap(OpenApiDocuments, (documents) =>
      documents.checkStored(
        JSON.stringify(openapi({ "/y": { get: { responses: { 200: { description: "Good" } } } } })),
        {
          publisherSlug: "acme",
          apiSlug: "pets",
          version: "1",
          upstreams: [upstreamUrl]
        }
      )
    ).pipe(Effect.provide(after.services))
    if ("failure" in checked) return expect.fail("It can be checked")
    const [{ version_id: id } = { version_id: "" }] = yield* execute(
      before.databaseUrl,
      "select version_id from api_version_fragments"
    )
    yield* Effect.flatMap(FragmentRepo, (repo) => repo.keep(String(id), checked)).pipe(
      Effect.provide(after.services)
    )
    for (const server of [before, after, strict]) {
      yield* eventually(
        "each release serves the new one",
        Effect.map(paths(server), (all) => all === "/acme/pets/v/1/y")
      )
    }
  })
)
