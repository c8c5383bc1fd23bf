/** A thread checks publishers' documents: a slow document blocks nobody else, and no company delays another. */
import { Worker } from "node:worker_threads"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { Checked } from "../../../src/marketplace/catalog/openapi-check.ts"
import {
  type DocumentJob,
  DocumentThread,
  OpenApiDocuments
} from "../../../src/marketplace/catalog/openapi-documents.ts"
import { jobThread } from "../../../src/shared/job-thread.ts"
import { productionTimes } from "../../../src/shared/times.ts"
import { send, signUp } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { askingAs, openapi, publisherOn, upstreamUrl } from "../../support/marketplace/publisher.ts"
import { startServer } from "../../support/server.ts"
import { type SteppedClock, steppedClock } from "../../support/stopped-clock.ts"
import { withTimersOn } from "../../support/timing.ts"

const endlessThread = () =>
  new Worker(new URL("../../support/marketplace/endless-thread.ts", import.meta.url))

const { "marketplace.document": deadlineMillis } = productionTimes.timeouts

/** A thread with deadlines on the test's clock. */
const withThread =
  (clock: SteppedClock, start: () => Worker = endlessThread) =>
  <A, E, R>(started: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    started.pipe(
      Effect.provideService(DocumentThread, jobThread<DocumentJob, Checked>(start)),
      withTimersOn(clock, ["marketplace.document"])
    )

/** Lets the deadline pass of the current job, or of the next one. */
const passDeadline = ({ now, pass, sleepsUntil }: SteppedClock) =>
  Effect.zipRight(sleepsUntil(now() + deadlineMillis), pass(deadlineMillis))

const place = { publisherSlug: "acme", apiSlug: "pets", version: "1", upstreamUrl }

/** The outcome of a check of this text. */
const ending = (company: string, text: string) =>
  Effect.flatMap(OpenApiDocuments, ({ check }) =>
    check(company, text, place).pipe(
      Effect.match({ onSuccess: () => "good", onFailure: ({ _tag }) => _tag }),
      Effect.catchAllDefect(() => Effect.succeed("broken"))
    )
  )

it.scopedLive("a document whose check never ends does not block other requests", () =>
  Effect.gen(function* () {
    const clock = steppedClock()
    const server = yield* startServer().pipe(withThread(clock))
    const publisher = yield* publisherOn(server)
    const api = yield* publisher.newApi()
    const add = (version: string, title: string) =>
      publisher.ask("POST", `/apis/${api.id}/versions`, {
        version,
        upstreamUrl,
        openapi: openapi({}, { info: { title, version } })
      })
    const checking = yield* Effect.fork(add("1", "endless"))
    yield* clock.sleepsUntil(deadlineMillis)
    for (let answered = 0; answered < 3; answered++) {
      expect((yield* send(server, "GET", "/healthz")).status).toBe(200)
      expect((yield* Fiber.poll(checking))._tag).toBe("None")
    }
    yield* clock.pass(deadlineMillis)
    const refused = yield* checking
    expect([refused.status, refused.body]).toEqual([400, { error: "openapi takes too long to check" }])
    // The next document gets an idle thread, and so does the document after a crash.
    expect((yield* add("2", "good")).status).toBe(201)
    const crashed = yield* add("3", "crash")
    expect([crashed.status, crashed.body]).toEqual([500, { error: "Failed to create version" }])
    expect((yield* add("3", "good")).status).toBe(201)
  })
)

it.scopedLive("documents of a company take at most 16 MiB; another company's gets its turn", () => {
  const clock = steppedClock()
  return Effect.gen(function* () {
    const busy = yield* Effect.fork(ending("a", "endless"))
    // Starts the first check, so that it no longer waits.
    yield* clock.sleepsUntil(deadlineMillis)
    const large = "x".repeat(4 * 1_048_576)
    const waiting = yield* Effect.forEach(Array(4).fill(large), (text) => Effect.fork(ending("a", text)))
    yield* Effect.yieldNow()
    expect(yield* ending("a", "x")).toBe("TooManyRequests")
    const other = yield* Effect.fork(ending("b", "x"))
    yield* passDeadline(clock)
    expect(yield* busy).toBe("DescriptionRefused")
    expect(yield* other).toBe("good")
    expect(yield* Effect.forEach(waiting, Fiber.join)).toEqual(Array(4).fill("good"))
  }).pipe(Effect.provide(OpenApiDocuments.Default), withThread(clock))
})

it.scopedLive("a company publishes two hundred versions concurrently", () =>
  Effect.gen(function* () {
    const text = JSON.stringify(openapi({ "/x": { description: "x".repeat(50_000) } }))
    const endings = yield* Effect.replicateEffect(ending("a", text), 200, { concurrency: "unbounded" })
    expect(new Set(endings)).toEqual(new Set(["good"]))
  }).pipe(Effect.provide(OpenApiDocuments.Default), withThread(steppedClock()))
)

it.scopedLive("a document that waits too long for its turn: 429", () => {
  const clock = steppedClock()
  return Effect.gen(function* () {
    const busy = yield* Effect.fork(ending("a", "endless"))
    yield* clock.sleepsUntil(deadlineMillis)
    expect(yield* ending("b", "good")).toBe("TooManyRequests")
    yield* passDeadline(clock)
    expect(yield* busy).toBe("DescriptionRefused")
  }).pipe(
    Effect.provide(OpenApiDocuments.Default),
    Effect.provideService(DocumentThread, jobThread<DocumentJob, Checked>(endlessThread)),
    withTimersOn(clock, ["marketplace.document"], { timeouts: { "marketplace.document_turn": 20 } })
  )
})

it.scopedLive("one thread at a time: the next starts once the previous one has ended", () => {
  const clock = steppedClock()
  const events: Array<string> = []
  const opened = Promise.withResolvers<void>()
  const start = () => {
    const worker = endlessThread()
    const terminate = worker.terminate.bind(worker)
    worker.terminate = () => opened.promise.then(terminate)
    worker.on("exit", () => events.push("exit"))
    events.push("start")
    return worker
  }
  return Effect.gen(function* () {
    const late = yield* Effect.fork(ending("a", "endless"))
    const next = yield* Effect.fork(ending("b", "good"))
    yield* passDeadline(clock)
    expect([(yield* Fiber.poll(next))._tag, events]).toEqual(["None", ["start"]])
    opened.resolve()
    expect([yield* late, yield* next]).toEqual(["DescriptionRefused", "good"])
    yield* eventually("the first has ended", () => events.join() === "start,exit,start")
  }).pipe(Effect.provide(OpenApiDocuments.Default), withThread(clock, start))
})

it.scopedLive("a thread that cannot be started, or crashes, fails only its own document", () => {
  const crashing = `require("node:worker_threads").parentPort.on("message", () => process.exit(3))`
  let starts = 0
  const start = () => {
    starts++
    if (starts === 1) throw new Error("no more threads")
    return starts === 2 ? new Worker(crashing, { eval: true }) : endlessThread()
  }
  return Effect.gen(function* () {
    const endings = yield* Effect.forEach(["a", "b", "c", "d"], (company) => ending(company, "good"))
    expect(endings).toEqual(["broken", "broken", "good", "good"])
  }).pipe(Effect.provide(OpenApiDocuments.Default), withThread(steppedClock(), start))
})

it.scopedLive(
  "a document is checked only for the API's publisher, and only with valid upstream addresses",
  () =>
    Effect.gen(function* () {
      // The thread never ends: a document that reaches it gets no answer.
      const server = yield* startServer().pipe(withThread(steppedClock()))
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
    })
)
