/** Large bodies with a document are parsed in a thread: what is answered is the same, and nobody waits for it. */
import { Worker } from "node:worker_threads"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { vi } from "vitest"
import { unstorableJson } from "../../src/http/contract/fields.ts"
import { apart, largeBytes } from "../../src/http/runtime/body-apart.ts"
import { BodyThread, bodyThread } from "../../src/http/runtime/body-thread.ts"
import { ThreadBroken } from "../../src/shared/job-thread.ts"
import { send } from "../support/client.ts"
import {
  marketplace,
  openapi,
  publisherOn,
  type TestPublisher,
  upstreamUrl
} from "../support/marketplace/publisher.ts"
import { startServer, TestServer } from "../support/server.ts"
import { suite } from "../support/suite.ts"

const fields = { texts: ["document"], others: ["name", "count"] }
const bytesOf = (text: string) => new TextEncoder().encode(text)
const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`

describe("a body with a large field taken apart", () => {
  it("has the document as text, the other fields as JSON, and of unknown fields a few names", () => {
    expect(apart(bytesOf('{"name":"a","document":{"b": [1, 2]},"unknown":{},"count":null}'), fields)).toEqual(
      {
        is: "apart",
        others: '{"name":"a","unknown":null,"count":null}',
        texts: { document: '{"b":[1,2]}' }
      }
    )
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`u${at}`, "x"]))
    const taken = apart(bytesOf(JSON.stringify({ ["x".repeat(100_000)]: 1, "a b": 1, ...many })), fields)
    expect(taken).toMatchObject({ is: "apart" })
    expect(Object.keys(JSON.parse("others" in taken ? taken.others : "{}"))).toEqual(
      Object.keys(many).slice(0, 10)
    )
  })

  it("that is not a JSON object is refused", () => {
    for (const text of ["[]", "{", "null", '{"a":1}{}', '"x"']) {
      expect(apart(bytesOf(text), fields)).toEqual({ is: "refused" })
    }
    expect(apart(Uint8Array.of(0x7b, 0xff, 0x7d), fields)).toEqual({ is: "refused" })
  })

  it("refuses a document that cannot be stored, and leaves one that is not an object to the schema", () => {
    for (const document of ['{"a":"\\u0000"}', '{"a":1e400}', nested(40)]) {
      expect(apart(bytesOf(`{"document":${document}}`), fields)).toEqual({
        is: "apart",
        others: "{}",
        texts: { document: undefined }
      })
    }
    expect(apart(bytesOf('{"document":[]}'), fields)).toEqual({
      is: "apart",
      others: '{"document":[]}',
      texts: {}
    })
  })

  it("is read like any other when another field is large or deep", () => {
    for (const name of [`"${"x".repeat(largeBytes)}"`, nested(100_000)]) {
      expect(apart(bytesOf(`{"name":${name},"document":{}}`), fields)).toEqual({ is: "large otherwise" })
    }
  })
})

it("a thread that crashes or exits fails only its own body; the next gets a new thread", async () => {
  const threads: Array<Worker> = []
  const programs = ["process.exit(3)", "throw new Error('broken')"]
  const take = bodyThread(() => {
    const program = programs.shift()
    const thread =
      program === undefined
        ? new Worker(new URL("../../src/http/runtime/body-thread-main.ts", import.meta.url))
        : new Worker(`require("node:worker_threads").parentPort.on("message", () => { ${program} })`, {
            eval: true
          })
    threads.push(thread)
    return thread
  })
  const body = bytesOf('{"document":{}}')
  const statuses: Array<string> = []
  for (let i = 0; i < 4; i++) {
    await take(body, fields).then(
      () => statuses.push("taken"),
      () => statuses.push("failed")
    )
  }
  expect(statuses).toEqual(["failed", "failed", "taken", "taken"])
  expect(threads).toHaveLength(3)
  await threads.at(-1)?.terminate()
})

it.scopedLive("a body whose thread crashes is answered 500, not 400", () =>
  Effect.gen(function* () {
    const server = yield* startServer().pipe(
      Effect.provideService(BodyThread, () => Promise.reject(new ThreadBroken({ reason: "exit code 3" })))
    )
    const publisher = yield* publisherOn(server)
    const api = yield* publisher.newApi()
    const { body, status } = yield* publisher.ask("POST", `/apis/${api.id}/versions`, {
      version: "1",
      upstreamUrl,
      openapi: openapi({}, { "x-large": "x".repeat(largeBytes) })
    })
    expect([status, body]).toEqual([500, { error: "Failed to create version" }])
  })
)

suite(TestServer.layer)("a version with a large document", (it) => {
  const large = "x".repeat(2 * largeBytes)
  const add = (publisher: TestPublisher, id: string, body: string) =>
    Effect.map(
      send(publisher.server, "POST", `${marketplace}/apis/${id}/versions`, {
        headers: { cookie: publisher.member.cookie, "content-type": "application/json" },
        body
      }),
      ({ body, status }) => [status, Object(body).error]
    )
  const written = (more: object) => JSON.stringify({ version: "1", upstreamUrl, ...more })

  it.effect("is answered like one with a small document", () =>
    Effect.gen(function* () {
      const publisher = yield* publisherOn(yield* TestServer)
      const api = yield* publisher.newApi()
      const refused = (error: string) => [400, error]
      const unstorable = refused(unstorableJson("openapi"))
      for (const [body, answer] of [
        [written({ openapi: openapi({}, { "x-a": "\u0000", "x-large": large }) }), unstorable],
        [written({ openapi: { large } }), refused("openapi must be an OpenAPI 3.0 or 3.1 document")],
        [written({ openapi: [large] }), refused("openapi must be an object")],
        [written({ openapi: large }), refused("openapi must be an object")],
        [
          written({ version: large, openapi: openapi({}) }),
          refused(
            "version must be 1 to 64 letters, digits, dots and hyphens, with a letter or digit at each end"
          )
        ],
        [written({ version: undefined, openapi: { large } }), refused("version is required")],
        [`{"version":${nested(50_000)},"openapi":{}}`, refused("version is required")],
        [`${written({ openapi: { large } })}}`, refused("Request body must be a JSON object")],
        [written({ unknown: large, openapi: null }), [201, undefined]],
        [written({ version: "2", openapi: openapi({}, { "x-large": large }) }), [201, undefined]]
      ] as const) {
        expect(yield* add(publisher, api.id, body)).toEqual(answer)
      }
    })
  )

  it.effect("is neither parsed nor serialized by the thread that answers requests", () =>
    Effect.gen(function* () {
      const publisher = yield* publisherOn(yield* TestServer)
      const api = yield* publisher.newApi()
      const body = written({ openapi: openapi({}, { "x-large": large }) })
      const [parse, stringify] = yield* Effect.acquireRelease(
        Effect.sync(() => [vi.spyOn(JSON, "parse"), vi.spyOn(JSON, "stringify")] as const),
        (spies) => Effect.sync(() => spies.forEach((spy) => void spy.mockRestore()))
      )
      expect(yield* add(publisher, api.id, body)).toEqual([201, undefined])
      const longest = (texts: ReadonlyArray<unknown>) => Math.max(...texts.map((text) => String(text).length))
      expect(parse.mock.calls.length).toBeGreaterThan(0)
      expect(longest(parse.mock.calls.map(([text]) => text))).toBeLessThan(largeBytes)
      expect(longest(stringify.mock.results.map(({ value }) => value))).toBeLessThan(largeBytes)
    }).pipe(Effect.scoped)
  )
})
