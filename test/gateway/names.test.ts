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
import { startNameServer, type Zone } from "../support/machine/name-server.ts"
import { call, startGateway } from "../support/marketplace/gateway.ts"
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
})
