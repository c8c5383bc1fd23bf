/** Threads check publishers' documents: a slow document blocks nobody else, and no company delays another. */

import { heapStats } from "bun:jsc"
import { Worker } from "node:worker_threads"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { vi } from "vitest"
import { FairQueue } from "../../../src/limits/fair-queue.ts"
import {
  type DocumentThread,
  DocumentTurnedAway,
  DocumentWorker,
  documentThread,
  type Purpose
} from "../../../src/marketplace/catalog/document-thread.ts"
import { OpenApiDocuments } from "../../../src/marketplace/catalog/openapi-documents.ts"
import { productionTimes } from "../../../src/shared/timing.ts"
import { field, send, signUp } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import {
  askingAs,
  marketplace,
  openapi,
  publishedApi,
  publisherOn,
  upstreamUrl
} from "../../support/marketplace/publisher.ts"
import { startServer } from "../../support/server.ts"
import { type SteppedClock, steppedClock } from "../../support/stopped-clock.ts"
import { withTimersOn } from "../../support/timing.ts"

const endlessThread = () =>
  new Worker(new URL("../../support/marketplace/endless-thread.ts", import.meta.url))

/** The time limit for a thread's start; the job's own limit follows. */
const { "marketplace.document": deadlineMillis, "marketplace.document_thread": startMillis } =
  productionTimes.timeouts

/** Runs all fibers until they wait. */
const settle = Effect.repeatN(Effect.yieldNow(), 20)

/** Threads with deadlines on the test's clock. */
const withThreads =
  (clock: SteppedClock, start: (purpose: Purpose) => Worker = endlessThread) =>
  <A, E, R>(started: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    started.pipe(
      Effect.provideService(DocumentWorker, start),
      withTimersOn(clock, ["marketplace.document", "marketplace.document_thread"])
    )

/** Lets the deadline pass of the current job, or of the next one. */
const passDeadline = ({ now, pass, sleepsUntil }: SteppedClock) =>
  Effect.zipRight(sleepsUntil(now() + deadlineMillis), pass(deadlineMillis))

const place = { publisherSlug: "acme", apiSlug: "pets", version: "1", upstreams: [upstreamUrl] } as const

/** An API document that the thread never finishes. */
const endless = openapi({}, { info: { title: "endless", version: "1" } })

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
    const server = yield* startServer().pipe(withThreads(clock))
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
    for (const [version, title] of [
      ["3", "crash"],
      ["4", "broken"]
    ] as const) {
      const crashed = yield* add(version, title)
      expect([crashed.status, crashed.body]).toEqual([500, { error: "Failed to create version" }])
      expect((yield* add(version, "good")).status).toBe(201)
    }
  })
)

it.scopedLive("a document whose check never ends does not block the description of the catalog", () =>
  Effect.gen(function* () {
    const clock = steppedClock()
    const server = yield* startServer().pipe(withThreads(clock))
    const publisher = yield* publisherOn(server)
    yield* publishedApi(publisher, undefined, { slug: "a", description: "Words." })
    const hostile = yield* publishedApi(publisher, undefined, { slug: "b" })
    const request = { version: "2", upstreamUrl, openapi: endless }
    const checking = yield* Effect.fork(publisher.ask("POST", `/apis/${hostile.id}/versions`, request))
    yield* clock.sleepsUntil(deadlineMillis)
    const { body, status } = yield* send(server, "GET", `${marketplace}/openapi.json`)
    expect([status, field(body, "tags", 0, "description")]).toEqual([200, "Words."])
    expect((yield* Fiber.poll(checking))._tag).toBe("None")
    // Otherwise the server would wait for it at its stop.
    yield* Fiber.interrupt(checking)
  })
)

describe("waiting", () => {
  const mebibyte = 1_048_576

  it.scopedLive("documents of a company take at most 16 MiB; another company's gets its turn", () => {
    const clock = steppedClock()
    return Effect.gen(function* () {
      const busy = yield* Effect.fork(ending("a", "endless"))
      // Starts the first check, so that it no longer waits.
      yield* Effect.yieldNow()
      const large = "x".repeat(4 * mebibyte)
      const waiting = yield* Effect.forEach(Array(4).fill(large), (text) => Effect.fork(ending("a", text)))
      yield* Effect.yieldNow()
      expect(yield* ending("a", "x")).toBe("TooManyRequests")
      const other = yield* Effect.fork(ending("b", "x"))
      yield* passDeadline(clock)
      expect(yield* busy).toBe("DescriptionRefused")
      expect(yield* other).toBe("good")
      expect(yield* Effect.forEach(waiting, Fiber.join)).toEqual(Array(4).fill("good"))
    }).pipe(Effect.provide(OpenApiDocuments.Default), withThreads(clock))
  })

  it.scopedLive("beyond 128 MiB in all, the company with the most makes room for others", () => {
    const threads: Array<Worker> = []
    const start = () => {
      const made = endlessThread()
      threads.push(made)
      return made
    }
    return Effect.gen(function* () {
      const busy = yield* Effect.fork(ending("busy", "endless"))
      yield* Effect.yieldNow()
      const large = "x".repeat(4 * mebibyte)
      const fill = (company: string) =>
        Effect.replicateEffect(Effect.zipLeft(Effect.fork(ending(company, large)), Effect.yieldNow()), 4)
      const crowds = yield* Effect.forEach(["1", "2", "3", "4", "5", "6", "7", "8"], fill)
      // With as much waiting as each of the others, this company would be refused itself.
      const honest = yield* Effect.forEach([large, large, large], (text) =>
        Effect.zipLeft(Effect.fork(ending("honest", text)), Effect.yieldNow())
      )
      const isTurnedAway = Effect.forEach(crowds.flat(), (fiber) =>
        Effect.map(Fiber.poll(fiber), ({ _tag }) => _tag === "Some")
      )
      yield* eventually(
        "three were turned away",
        Effect.map(isTurnedAway, (all) => all.filter((is) => is).length === 3)
      )
      yield* Effect.promise(async () => threads[0]?.terminate())
      expect(yield* busy).toBe("broken")
      expect(yield* Effect.forEach(honest, Fiber.join)).toEqual(Array(3).fill("good"))
      for (const crowd of crowds) {
        const endings = yield* Effect.forEach(crowd, Fiber.join)
        expect(endings.slice(0, 3)).toEqual(Array(3).fill("good"))
        expect(["good", "TooManyRequests"]).toContain(endings[3])
      }
    }).pipe(Effect.provide(OpenApiDocuments.Default), withThreads(steppedClock(), start))
  })

  it.scopedLive("a waiting document is held only as text", () =>
    Effect.gen(function* () {
      const server = yield* startServer().pipe(withThreads(steppedClock()))
      const publisher = yield* publisherOn(server)
      const api = yield* publisher.newApi()
      const added = yield* Effect.acquireRelease(
        Effect.sync(() => vi.spyOn(FairQueue.prototype, "enter")),
        (spy) => Effect.sync(() => spy.mockRestore())
      )
      const documents = 8
      const objects = 50_000
      const of = (title: string) => JSON.stringify(openapi({}, { info: { title, version: "1" } }))
      const large = JSON.stringify(openapi({ "x-objects": "OBJECTS" })).replace(
        '"OBJECTS"',
        `[${"{},".repeat(objects)}{}]`
      )
      // Written as text, so that the test itself creates no such objects.
      const add = (version: string, document: string) =>
        send(server, "POST", `${marketplace}/apis/${api.id}/versions`, {
          headers: { cookie: publisher.member.cookie, "content-type": "application/json" },
          body: `{"version":"${version}","upstreamUrl":"${upstreamUrl}","openapi":${document}}`
        })
      // The baseline: tests from other files have left objects in this process.
      const counted = Effect.sync(() => {
        Bun.gc(true)
        return heapStats().objectTypeCounts.Object ?? 0
      })
      const before = yield* counted
      const fibers = [yield* Effect.fork(add("0", of("endless")))]
      for (let n = 1; n <= documents; n++) fibers.push(yield* Effect.fork(add(`${n}`, large)))
      yield* eventually(
        "all wait",
        // Large request bodies wait in a queue of their own, without a size.
        () => added.mock.calls.filter(([, , size]) => size !== undefined).length === 1 + documents
      )
      // The collector treats whatever the stack happens to point to as held, perhaps a document or two. Waiting requests
      // that held their documents would hold all of them.
      yield* eventually(
        "fewer objects are held than half of theirs",
        Effect.map(counted, (now) => now - before < (documents / 2) * objects)
      )
      yield* Fiber.interruptAll(fibers)
    })
  )

  it.scopedLive("a company publishes two hundred versions concurrently", () =>
    Effect.gen(function* () {
      const text = JSON.stringify(openapi({ "/x": { description: "x".repeat(50_000) } }))
      const endings = yield* Effect.replicateEffect(ending("a", text), 200, { concurrency: "unbounded" })
      expect(new Set(endings)).toEqual(new Set(["good"]))
    }).pipe(Effect.provide(OpenApiDocuments.Default), withThreads(steppedClock()))
  )

  it.scopedLive("ends, and makes room, when its client gives up", () =>
    Effect.gen(function* () {
      const thread = yield* documentThread("checks", { own: 40, all: 40 })
      const ask = Effect.zipLeft(
        Effect.fork(Effect.exit(thread.run("a", 10, "check", { text: "endless", place }))),
        settle
      )
      const fibers = yield* Effect.replicateEffect(ask, 5)
      expect(yield* Fiber.join(yield* ask)).toEqual(Exit.fail(new DocumentTurnedAway()))
      yield* Fiber.interruptAll(fibers)
      const others = yield* Effect.replicateEffect(ask, 4)
      for (const other of others) expect((yield* Fiber.poll(other))._tag).toBe("None")
      expect(yield* Fiber.join(yield* ask)).toEqual(Exit.fail(new DocumentTurnedAway()))
    }).pipe(withThreads(steppedClock()))
  )
})

describe("one thread at a time", () => {
  /** Threads that terminate only when the test allows it, and a log of their events. */
  const heldThreads = () => {
    const events: Array<string> = []
    let open = () => {}
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    const start = () => {
      const worker = endlessThread()
      const terminate = worker.terminate.bind(worker)
      worker.terminate = () => opened.then(terminate)
      worker.on("exit", () => events.push("exit"))
      events.push("start")
      return worker
    }
    return { events, open: Effect.sync(() => open()), start }
  }

  it.scopedLive("the next starts once the previous one has ended; until then documents are refused", () => {
    const clock = steppedClock()
    const { events, open, start } = heldThreads()
    return Effect.gen(function* () {
      const endings = yield* Effect.forEach(["endless", "good"], (text) => Effect.fork(ending(text, text)))
      // The deadline of the check, then the deadline for the thread to terminate.
      yield* passDeadline(clock)
      yield* passDeadline(clock)
      expect(yield* Effect.forEach(endings, Fiber.join)).toEqual(["DescriptionRefused", "TooManyRequests"])
      expect(yield* ending("c", "good")).toBe("TooManyRequests")
      expect(events).toEqual(["start"])
      yield* open
      yield* eventually("the thread has ended", () => events.includes("exit"))
      expect(yield* ending("c", "good")).toBe("good")
      expect(events).toEqual(["start", "exit", "start"])
    }).pipe(Effect.provide(OpenApiDocuments.Default), withThreads(clock, start))
  })

  it.scopedLive("one that failed or crashed has ended before the next starts; a working one is kept", () => {
    const { events, open, start } = heldThreads()
    return Effect.gen(function* () {
      yield* open
      const endings = yield* Effect.forEach(["broken", "good", "good", "crash", "good"], (text) =>
        ending("a", text)
      )
      expect(endings).toEqual(["broken", "good", "good", "broken", "good"])
      expect(events).toEqual(["start", "exit", "start", "exit", "start"])
    }).pipe(Effect.provide(OpenApiDocuments.Default), withThreads(steppedClock(), start))
  })

  it.live("it ends with the service, together with the waiting documents, and no other is started", () => {
    const { events, open, start } = heldThreads()
    const ask = (thread: DocumentThread, text: string) =>
      Effect.flip(thread.run("a", 10, "check", { text, place }))
    return Effect.gen(function* () {
      yield* open
      const [thread, waiting] = yield* Effect.scoped(
        Effect.gen(function* () {
          const thread = yield* documentThread("checks", { own: 40, all: 40 })
          const waiting = yield* Effect.replicateEffect(Effect.forkDaemon(ask(thread, "endless")), 3)
          yield* settle
          return [thread, waiting] as const
        }).pipe(withThreads(steppedClock(), start))
      )
      const turnedAway = { _tag: "DocumentTurnedAway" }
      for (const fiber of waiting) expect(yield* Fiber.join(fiber)).toMatchObject(turnedAway)
      yield* eventually("the thread has ended", () => events.includes("exit"))
      expect(yield* ask(thread, "good")).toMatchObject(turnedAway)
      expect(events).toEqual(["start", "exit"])
    })
  })

  it.scopedLive("one that cannot be started fails only its own document", () => {
    let starts = 0
    const start = () => {
      starts++
      if (starts < 3) throw new Error("no more threads")
      return endlessThread()
    }
    return Effect.gen(function* () {
      const endings = yield* Effect.forEach(["a", "b", "c", "d"], (company) => ending(company, "good"), {
        concurrency: "unbounded"
      })
      expect(endings).toEqual(["broken", "broken", "good", "good"])
      expect(starts).toBe(3)
    }).pipe(Effect.provide(OpenApiDocuments.Default), withThreads(steppedClock(), start))
  })

  it.scopedLive("one that is slow to start: its document is answered 429, not rejected as invalid", () => {
    const clock = steppedClock()
    return Effect.gen(function* () {
      const asked = yield* Effect.fork(ending("a", "good"))
      yield* clock.sleepsUntil(startMillis)
      yield* clock.pass(startMillis)
      expect(yield* asked).toBe("TooManyRequests")
    }).pipe(
      Effect.provide(OpenApiDocuments.Default),
      // The thread never sends a message.
      withThreads(clock, () => new Worker("setInterval(() => {}, 60_000)", { eval: true }))
    )
  })
})

it.scopedLive(
  "a document is checked only for the API's publisher, and only with valid upstream addresses",
  () =>
    Effect.gen(function* () {
      // The thread never ends: a document that reaches it gets no answer.
      const server = yield* startServer().pipe(withThreads(steppedClock()))
      const publisher = yield* publisherOn(server)
      const api = yield* publisher.newApi()
      const stranger = yield* publisherOn(server)
      const nobody = askingAs(server, yield* signUp(server))
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
