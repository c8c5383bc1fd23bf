/** Look-ups of upstreams' names: their queries, their limit, and that a silent name server delays nobody else. */
import { writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Config } from "../../src/config.ts"
import { UpstreamFault } from "../../src/gateway/faults.ts"
import { type Lookup, lookingUp } from "../../src/gateway/names.ts"
import { maxLookups, Resolver, UpstreamAddresses } from "../../src/gateway/resolve.ts"
import { DeadlineClock } from "../../src/limits/deadlines.ts"
import { productionTimes } from "../../src/shared/times.ts"
import { send, signUp } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { servfail, startNameServer, type Zone } from "../support/machine/name-server.ts"
import { call, linesOf, startGateway } from "../support/marketplace/gateway.ts"
import { patientTiming, timingOf, withTimes } from "../support/timing.ts"

/** The files of a system, and a name server with this zone. */
const system = (zone: Zone, { hosts = "", resolver = "" } = {}) =>
  Effect.gen(function* () {
    const server = yield* startNameServer(zone)
    const folder = yield* Effect.acquireRelease(
      Effect.promise(() => mkdtemp(join(tmpdir(), "doorlock-names-"))),
      (path) => Effect.promise(() => rm(path, { recursive: true }))
    )
    const hostsFile = join(folder, "hosts")
    const resolverFile = join(folder, "resolv.conf")
    writeFileSync(hostsFile, hosts)
    writeFileSync(resolverFile, resolver)
    return { ...server, hostsFile, resolverFile, servers: [server.address] }
  })

const never = new AbortController().signal

const addressesOf = (lookup: Lookup, name: string) => Effect.promise(() => lookup(name, never))

describe("a name is looked up", () => {
  it.scopedLive("in /etc/hosts first, under all its names there, and again when the file has changed", () =>
    Effect.gen(function* () {
      const places = yield* system({}, { hosts: "10.0.0.1 echo Echo.Internal # ours\n10.0.0.2\techo\n" })
      const lookup = lookingUp(places, patientTiming)
      expect(yield* addressesOf(lookup, "echo")).toEqual(["10.0.0.1", "10.0.0.2"])
      expect(yield* addressesOf(lookup, "echo.internal.")).toEqual(["10.0.0.1"])
      writeFileSync(places.hostsFile, "10.0.0.30 echo\n")
      expect(yield* addressesOf(lookup, "echo")).toEqual(["10.0.0.30"])
      expect([...places.questions]).toEqual([])
    })
  )

  it.scopedLive("as this machine, if it is localhost, even if no file says so", () =>
    Effect.gen(function* () {
      const places = yield* system({})
      for (const name of ["localhost", "localhost.", "api.localhost"]) {
        expect(yield* addressesOf(lookingUp(places, patientTiming), name)).toEqual(["127.0.0.1", "::1"])
      }
      expect([...places.questions]).toEqual([])
    })
  )

  it.scopedLive("with the search domains of resolv.conf, as services of a cluster are", () =>
    Effect.gen(function* () {
      const places = yield* system(
        {
          "A echo.apis": null,
          "AAAA echo.apis": null,
          "A echo.apis.svc": "10.0.0.7",
          "AAAA echo.apis.svc": null
        },
        { resolver: "search svc cluster.example\noptions ndots:1\n" }
      )
      expect(yield* addressesOf(lookingUp(places, patientTiming), "echo.apis")).toEqual(["10.0.0.7"])
      expect([...places.questions].map((question) => question.split(" ")[1])).toEqual([
        "echo.apis",
        "echo.apis",
        "echo.apis.svc",
        "echo.apis.svc"
      ])
    })
  )

  it.scopedLive("under the next search domain, after any failure of one", () =>
    Effect.gen(function* () {
      const none = { "A good.example.svc": null, "AAAA good.example.svc": null }
      const zone: Zone = {
        "A good.example.corp": servfail,
        "AAAA good.example.corp": servfail,
        ...none,
        "A good.example": "10.0.0.8",
        "AAAA good.example": null,
        "A half.example.corp": null,
        "AAAA half.example.corp": servfail,
        "A half.example.svc": "10.0.0.9",
        "AAAA half.example.svc": servfail
      }
      const places = yield* system(zone, { resolver: "search corp svc\noptions ndots:5\n" })
      expect(yield* addressesOf(lookingUp(places, patientTiming), "good.example")).toEqual(["10.0.0.8"])
      expect(yield* addressesOf(lookingUp(places, patientTiming), "half.example")).toEqual(["10.0.0.9"])
    })
  )

  it.scopedLive("with a failure, not as an unknown name, when one lookup failed and none succeeded", () =>
    Effect.gen(function* () {
      const zone: Zone = {
        "A no.example.corp": servfail,
        "AAAA no.example.corp": null,
        "A no.example": null,
        "AAAA no.example": null
      }
      const places = yield* system(zone, { resolver: "search corp\noptions ndots:5\n" })
      const failure = yield* Effect.promise(() =>
        lookingUp(places, patientTiming)("no.example", never).catch((error) => error)
      )
      expect(failure).toMatchObject({ code: "ESERVFAIL" })
    })
  )

  it.scopedLive("as an unknown name, when no name server knows it", () =>
    Effect.gen(function* () {
      const places = yield* system({ "A no.example": null, "AAAA no.example": null })
      expect(yield* addressesOf(lookingUp(places, patientTiming), "no.example")).toEqual([])
    })
  )
})

/** The bounded lookups with this function in place of the system's, on the test's clock. */
const bounded = (lookup: Lookup, times: Parameters<typeof withTimes>[0] = {}) => {
  let time = 0
  return Effect.map(
    UpstreamAddresses.pipe(
      Effect.provide(
        UpstreamAddresses.Default.pipe(
          Layer.provide(Layer.succeed(Resolver, lookup)),
          Layer.provide(Layer.succeed(DeadlineClock, () => time)),
          Layer.provide(Config.layer({ GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true" }))
        )
      ),
      withTimes(times)
    ),
    ({ of }) => ({
      pass: (milliseconds: number) => {
        time += milliseconds
      },
      outcome: (name: string, asker: string): Promise<unknown> =>
        of(name, asker).catch((fault) => (fault instanceof UpstreamFault ? fault.type : fault))
    })
  )
}

/** A lookup that the test ends, and the number of lookups. */
const silent = () => {
  const running = { count: 0, begun: 0 }
  const lookup: Lookup = (_name, signal) => {
    running.count++
    running.begun++
    return new Promise((_resolve, reject) =>
      signal.addEventListener("abort", () => {
        running.count--
        reject(new Error("ended"))
      })
    )
  }
  return { running, lookup }
}

describe("of the lookups in progress", () => {
  it.live("a publisher has a maximum, over all names; waiting for the same lookup does not count", () =>
    Effect.gen(function* () {
      const { lookup, running } = silent()
      const { outcome } = yield* bounded(lookup)
      for (let i = 0; i < maxLookups.perAsker; i++) void outcome(`n${i}.example`, "acme")
      expect(yield* Effect.promise(() => outcome("one-more.example", "acme"))).toBe(
        "connection_limit_reached"
      )
      void outcome("n0.example", "acme")
      void outcome("n0.example", "another")
      expect(running.count).toBe(maxLookups.perAsker)
      void outcome("other.example", "another")
      expect(running.count).toBe(maxLookups.perAsker + 1)
    })
  )

  it.live("all publishers together have a maximum; while one is free, a publisher without any gets it", () =>
    Effect.gen(function* () {
      const { lookup, running } = silent()
      const { outcome } = yield* bounded(lookup)
      for (let asker = 0; running.count < maxLookups.inAll; asker++) {
        const before = running.count
        for (let i = 0; i < maxLookups.perAsker + 1; i++)
          void outcome(`${asker}-${i}.example`, `asker ${asker}`)
        expect(running.count).toBeGreaterThan(before)
      }
      expect(yield* Effect.promise(() => outcome("late.example", "newcomer"))).toBe(
        "connection_limit_reached"
      )
    })
  )

  it.live("each is ended at its deadline and makes room; its name is not looked up again for a while", () =>
    Effect.gen(function* () {
      const { lookup, running } = silent()
      const { outcome, pass } = yield* bounded(lookup, { timeouts: { "gateway.lookup": 1 } })
      const ask = Effect.promise(() =>
        Promise.all(Array.from({ length: maxLookups.perAsker }, (_, i) => outcome(`n${i}.example`, "acme")))
      )
      const timedOut = Array.from({ length: maxLookups.perAsker }, () => "dns_timeout")
      expect(yield* ask).toEqual(timedOut)
      expect(running).toEqual({ count: 0, begun: maxLookups.perAsker })
      pass(19_000)
      expect(yield* ask).toEqual(timedOut)
      expect(running.begun).toBe(maxLookups.perAsker)
      pass(22_000)
      expect(yield* ask).toEqual(timedOut)
      expect(running.begun).toBe(2 * maxLookups.perAsker)
    })
  )
})

/** Interrupts the test's lookups at its end, so that the server need not wait for them. */
const endedWithTest = (lookup: Lookup) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new AbortController()),
      (ending) => Effect.sync(() => ending.abort())
    ),
    (ending): Lookup =>
      (hostname, signal) =>
        lookup(hostname, AbortSignal.any([signal, ending.signal]))
  )

/** A gateway with this lookup. */
const gatewayWith = (lookup: Lookup) =>
  Effect.gen(function* () {
    const late = Promise.withResolvers<Lookup>()
    const gateway = yield* startGateway({
      lookup: async (hostname, signal) => (await late.promise)(hostname, signal)
    })
    late.resolve(yield* endedWithTest(lookup))
    return gateway
  })

/** The other family is not waited for for long. */
const fromOneFamily = timingOf({
  timeouts: { "gateway.other_family": productionTimes.timeouts["gateway.other_family"] }
})

describe("a silent name server", () => {
  it.scopedLive("delays no sign-in, however many lookups wait for it", () =>
    Effect.gen(function* () {
      const count = 50
      const places = yield* system({})
      const gateway = yield* gatewayWith(lookingUp(places, patientTiming))
      const member = yield* signUp(gateway)
      let ended = 0
      for (let i = 0; i < count; i++) {
        const path = gateway.publish({
          upstream: `http://n${i}.example`,
          caller: { subscriberId: "caller", publisherId: `publisher ${i % 5}` }
        })
        yield* Effect.forkScoped(Effect.map(call(gateway, path), () => ended++))
      }
      yield* eventually("every name is asked for", () => places.questions.size === 2 * count)
      const signIn = { json: { email: member.email, password: member.password } }
      expect((yield* send(gateway, "POST", "/api/auth/login", signIn)).status).toBe(200)
      expect(ended).toBe(0)
    })
  )

  it.scopedLive("that is silent only for IPv6 leaves the IPv4 address usable", () =>
    Effect.gen(function* () {
      const places = yield* system({ "A four.example": "10.0.0.4" })
      // A caller without an answer asks a second time before giving up, after minutes.
      expect(yield* addressesOf(lookingUp(places, fromOneFamily), "four.example")).toEqual(["10.0.0.4"])
      expect(places.timesAsked("AAAA four.example")).toBe(1)
    })
  )

  it.scopedLive("that is silent only for IPv6 below a search domain does so too", () =>
    Effect.gen(function* () {
      const places = yield* system({ "A four.apis": "10.0.0.5" }, { resolver: "search apis\n" })
      expect(yield* addressesOf(lookingUp(places, fromOneFamily), "four")).toEqual(["10.0.0.5"])
      expect(places.timesAsked("AAAA four.apis")).toBe(1)
    })
  )

  it.scopedLive("that is silent for IPv6 and slow for IPv4: the answer at the deadline counts", () =>
    Effect.gen(function* () {
      const places = yield* system({ "A four.example": "10.0.0.4", "A next.example": "10.0.0.5" })
      const lookup = lookingUp(places, patientTiming)
      const ending = new AbortController()
      const found = lookup("four.example", ending.signal)
      yield* eventually("it is asked for", () => places.questions.size === 2)
      // Earlier answers have been read by the time this one is.
      yield* addressesOf(
        lookingUp(places, timingOf({ timeouts: { "gateway.other_family": 0 } })),
        "next.example"
      )
      ending.abort()
      expect(yield* Effect.promise(() => found)).toEqual(["10.0.0.4"])
    })
  )

  it.live("a lookup that is told to end returns the addresses that it has", () =>
    Effect.gen(function* () {
      const { outcome } = yield* bounded(
        (_name, signal) =>
          new Promise((resolve) => signal.addEventListener("abort", () => resolve(["10.0.0.6"]))),
        { timeouts: { "gateway.lookup": 1 } }
      )
      expect(yield* Effect.promise(() => outcome("late.example", "acme"))).toEqual(["10.0.0.6"])
    })
  )

  it.scopedLive("with too many lookups of one publisher: 503 Upstream is busy", () =>
    Effect.gen(function* () {
      const { lookup, running } = silent()
      const gateway = yield* gatewayWith(lookup)
      const ask = (i: number) =>
        call(
          gateway,
          gateway.publish({
            upstream: `http://n${i}.example`,
            caller: { subscriberId: "s", publisherId: "p" }
          })
        )
      for (let i = 0; i < maxLookups.perAsker; i++) yield* Effect.forkScoped(ask(i))
      yield* eventually("as many as there may be are under way", () => running.count === maxLookups.perAsker)
      const answer = yield* ask(maxLookups.perAsker)
      expect(answer.start).toBe("HTTP/1.1 503 Service Unavailable")
      expect(answer.body.toString()).toBe('{"error":"Upstream is busy"}')
      expect(linesOf(answer, "retry-after")).toEqual(["1"])
      expect(linesOf(answer, "proxy-status")).toEqual(["doorlock; error=connection_limit_reached"])
    })
  )
})
