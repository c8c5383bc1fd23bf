/** Documents are checked in a thread: one that keeps it busy holds up nobody, and no company holds up another's. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { DocumentThreadOptions, documentThread } from "../../src/marketplace/catalog/document-thread.ts"
import { OpenApiDocuments } from "../../src/marketplace/catalog/openapi-documents.ts"
import { Turns } from "../../src/marketplace/catalog/turns.ts"
import { send, signUp } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { addVersion, askingAs, openapi, publisherOn, upstreamUrl } from "../support/publisher.ts"
import { startServer } from "../support/server.ts"

const withThread = (deadlineMillis: number) =>
  Effect.provideService(DocumentThreadOptions, {
    script: new URL("../support/endless-thread.ts", import.meta.url),
    deadlineMillis
  })

const hour = 3_600_000
const upstreams = [upstreamUrl] as const

it.scopedLive("while a document is checked that never ends its check, other requests are answered", () =>
  Effect.gen(function* () {
    const server = yield* startServer().pipe(withThread(2_000))
    const publisher = yield* publisherOn(server)
    const api = yield* publisher.newApi()
    const add = (version: string, title: string) =>
      publisher.ask("POST", `/apis/${api.id}/versions`, {
        version,
        upstreamUrl,
        openapi: openapi({}, { info: { title, version } })
      })
    const checking = yield* Effect.fork(add("1", "endless"))
    let answered = 0
    while ((yield* Fiber.poll(checking))._tag === "None") {
      expect((yield* send(server, "GET", "/healthz")).status).toBe(200)
      answered++
    }
    const refused = yield* checking
    expect([refused.status, refused.body]).toEqual([400, { error: "openapi takes too long to check" }])
    // Had the check run between the requests, none or one would have been answered before it ended.
    expect(answered).toBeGreaterThan(2)
    // The next document gets a thread that is not busy, and so does the one after a crash.
    expect((yield* add("2", "good")).status).toBe(201)
    const crashed = yield* add("3", "crash")
    expect([crashed.status, crashed.body]).toEqual([500, { error: "Failed to create version" }])
    expect((yield* add("3", "good")).status).toBe(201)
  })
)

it.scopedLive(
  "four documents of a company wait at most, the next is refused; another company's has its turn",
  () =>
    Effect.gen(function* () {
      const { check } = yield* OpenApiDocuments
      const ended: Array<string> = []
      const checked = (company: string, text: string) =>
        check(company, text, upstreams).pipe(
          Effect.match({ onSuccess: () => "good", onFailure: ({ _tag }) => _tag }),
          Effect.tap((outcome) => Effect.sync(() => ended.push(`${company} ${outcome}`)))
        )
      const documents = [
        ...Array.from({ length: 6 }, () => ["a", "endless"] as const),
        ["b", "good"] as const
      ]
      yield* Effect.forEach(documents, ([company, text]) => checked(company, text), {
        concurrency: "unbounded"
      })
      expect(ended.toSorted()).toEqual([
        ...Array.from({ length: 5 }, () => "a DescriptionRefused"),
        "a TooManyRequests",
        "b good"
      ])
      // After the first of the other company, and the one whose turn had come before.
      expect(ended.slice(1, 4)).toContain("b good")
    }).pipe(Effect.provide(OpenApiDocuments.Default), withThread(200))
)

it.scopedLive("who gives up waiting makes room", () =>
  Effect.gen(function* () {
    const thread = yield* documentThread
    const ask = Effect.fork(thread.run("a", "check", { text: "endless", upstreams }))
    const fibers = yield* Effect.replicateEffect(ask, 5)
    const wait = (own: number) =>
      eventually(
        `${own} wait`,
        30_000,
        Effect.sync(() => thread.waiting("a").own === own)
      )
    yield* wait(4)
    yield* Fiber.interruptAll(fibers)
    yield* wait(0)
  }).pipe(withThread(hour))
)

it.scopedLive("only the API's publisher has a document looked at, and only with good addresses", () =>
  Effect.gen(function* () {
    // A thread that never ends: whatever reaches it is answered by nobody.
    const server = yield* startServer().pipe(withThread(hour))
    const publisher = yield* publisherOn(server)
    const api = yield* publisher.newApi()
    const stranger = yield* publisherOn(server)
    const nobody = askingAs(server, yield* signUp(server))
    const endless = openapi({}, { info: { title: "endless", version: "1" } })
    const version = { version: "1", upstreamUrl, openapi: endless }
    const unknown = `/apis/${crypto.randomUUID()}/versions`
    for (const [ask, path] of [
      [publisher.ask, unknown],
      [publisher.ask, "/apis/x/versions"],
      [stranger.ask, `/apis/${api.id}/versions`],
      [nobody, `/apis/${api.id}/versions`]
    ] as const) {
      const { body, status } = yield* ask("POST", path, version)
      expect([status, body]).toEqual([404, { error: "API not found" }])
    }
    const sameHost = yield* publisher.ask("POST", `/apis/${api.id}/versions`, {
      ...version,
      upstreamUrl: "https://api.upstream.test:25"
    })
    expect([sameHost.status, sameHost.body]).toEqual([
      400,
      { error: "upstreamUrl must not point to a port of another protocol" }
    ])
    yield* addVersion(publisher, api)
  })
)

describe("turns", () => {
  it("an owner with many lets others go in between", () => {
    const turns = new Turns<string>()
    for (const item of ["a1", "a2", "a3"]) turns.add("a", item)
    turns.add("b", "b1")
    turns.add("c", "c1")
    turns.add("c", "c2")
    expect([turns.of("a"), turns.size]).toEqual([3, 6])
    turns.remove("a", "a2")
    turns.remove("d", "d1")
    expect(Array.from({ length: 6 }, () => turns.next())).toEqual(["a1", "b1", "c1", "a3", "c2", undefined])
    expect([turns.of("a"), turns.size]).toEqual([0, 0])
  })
})
