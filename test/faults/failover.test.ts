/**
 * Postgres under Patroni: its leader is killed or replaced while clients create sessions. What was answered stays, what cannot be done
 * now is answered 503, and doorlock finds the new leader. Each test prints how long creations waited, which no test asserts.
 */
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Redacted } from "effect"
import { replication, servers } from "../../src/cli/checks/replication.ts"
import { productionTimes } from "../../src/shared/times.ts"
import { createInstance, createKey, type Member, send, signUp } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { missingForPatroni, type PatroniNode, patroni, type TestPatroni } from "../support/machine/patroni.ts"
import { execute } from "../support/postgres.ts"
import { type RunningServer, startServerOn } from "../support/server.ts"
import { withTimes } from "../support/timing.ts"

const clients = 8

interface Creation {
  readonly status: number
  readonly id: string
  /** Milliseconds (monotonic). */
  readonly answeredAt: number
}

const isCreated = ({ status }: Creation) => status === 201

const company = (server: RunningServer) =>
  Effect.gen(function* () {
    const member = yield* signUp(server)
    return { member, instance: yield* createInstance(server, member), key: yield* createKey(server, member) }
  })

/** Clients that create sessions one after the other, until `stop`, which returns every answer. */
const load = (server: RunningServer, { instance, key }: Effect.Effect.Success<ReturnType<typeof company>>) =>
  Effect.gen(function* () {
    const answers: Array<Creation> = []
    const isStopped = yield* Deferred.make<void>()
    const create = Effect.map(
      send(server, "POST", "/api/kyc/public/sessions", {
        headers: { "x-api-key": key.token },
        json: { instanceId: instance.id }
      }),
      ({ body, status }) => {
        const { session } = Object(body) as { readonly session?: { readonly id: string } }
        answers.push({ status, id: session?.id ?? "", answeredAt: performance.now() })
      }
    )
    const client = Effect.repeat(Effect.zipLeft(create, Effect.sleep("5 millis")), {
      until: () => Deferred.isDone(isStopped)
    })
    const running = yield* Effect.fork(
      Effect.replicateEffect(client, clients, { concurrency: clients, discard: true })
    )
    return {
      /** Waits for this many more sessions. */
      created: (count: number) =>
        Effect.suspend(() => {
          const wanted = answers.filter(isCreated).length + count
          return eventually(
            `${wanted} sessions are created`,
            () => answers.filter(isCreated).length >= wanted
          )
        }),
      stop: Effect.as(
        Effect.zipRight(Deferred.succeed(isStopped, undefined), Fiber.join(running)),
        answers as ReadonlyArray<Creation>
      )
    }
  })

/** The ids that the leader lacks. */
const lost = (leader: PatroniNode, answers: ReadonlyArray<Creation>) =>
  Effect.map(execute(leader.adminUrl, "select id::text as id from kyc_sessions"), (rows) => {
    const kept = new Set(rows.map(({ id }) => id))
    return answers.filter((answer) => isCreated(answer) && !kept.has(answer.id))
  })

const say = (what: string, answers: ReadonlyArray<Creation>) =>
  Effect.sync(() => {
    const times = answers.filter(isCreated).map(({ answeredAt }) => answeredAt)
    const gap = times.reduce((most, time, index) => Math.max(most, time - (times[index - 1] ?? time)), 0)
    const counts = Map.groupBy(answers, ({ status }) => status)
    const statuses = [...counts].map(([status, { length }]) => `${length} times ${status}`).join(", ")
    process.stdout.write(`${what}: no session created for ${(gap / 1000).toFixed(1)} s; ${statuses}\n`)
  })

const statusesOf = (answers: ReadonlyArray<Creation>) =>
  [...new Set(answers.map(({ status }) => status))].sort()

const serve = (url: Redacted.Redacted<string>, { readUrl }: TestPatroni) =>
  startServerOn(url, { DATABASE_READ_URL: Redacted.value(readUrl) }).pipe(withTimes(productionTimes))

const revoke = (server: RunningServer, { cookie }: Member, { id }: { readonly id: string }) =>
  Effect.map(
    send(server, "POST", `/api/api-keys/${id}/revoke`, { headers: { cookie } }),
    ({ status }) => status
  )

const withKey = (server: RunningServer, token: string) =>
  send(server, "GET", "/api/kyc/sessions", { headers: { "x-api-key": token } })

describe.skipIf(missingForPatroni.length > 0)(
  `Postgres under Patroni (needs ${missingForPatroni.join(", ") || "nothing more"})`,
  () => {
    it.scopedLive(
      "the leader is killed or replaced under load: no session is lost, and nothing is answered 500",
      () =>
        Effect.gen(function* () {
          const cluster = yield* patroni
          for (const [way, url] of [
            ["several hosts", cluster.url],
            ["HAProxy", cluster.proxyUrl]
          ] as const) {
            const server = yield* serve(url, cluster)
            const made = yield* company(server)

            const planned = yield* load(server, made)
            yield* planned.created(200)
            yield* cluster.switchOver
            yield* planned.created(200)
            const ofSwitch = yield* planned.stop
            yield* say(`${way}: switchover`, ofSwitch)
            expect(statusesOf(ofSwitch).filter((status) => status !== 503)).toEqual([201])
            expect(yield* lost(yield* cluster.whole, ofSwitch)).toEqual([])

            const unplanned = yield* load(server, made)
            yield* unplanned.created(200)
            const before = yield* cluster.leader
            yield* before.kill
            yield* unplanned.created(200)
            const ofKill = yield* unplanned.stop
            yield* say(`${way}: leader killed`, ofKill)
            expect(statusesOf(ofKill).filter((status) => status !== 503)).toEqual([201])
            yield* before.start
            const after = yield* cluster.whole
            expect(after.name).not.toBe(before.name)
            expect(yield* lost(after, ofKill)).toEqual([])
            // A standby may answer.
            const newest = ofKill.filter(isCreated).at(-1)?.id ?? ""
            expect((yield* withKey(server, made.key.token)).text).toContain(newest)

            // Changes are heard from the new leader.
            const other = yield* serve(url, cluster)
            expect((yield* withKey(other, made.key.token)).status).toBe(200)
            expect(yield* revoke(server, made.member, made.key)).toBe(200)
            yield* eventually(
              "the other process refuses the key",
              Effect.map(withKey(other, made.key.token), ({ status }) => status === 401)
            )
          }
        })
    )

    it.scopedLive(
      "the standbys stall, keys are revoked and the leader is killed: no revocation that was answered is undone",
      () =>
        Effect.gen(function* () {
          const cluster = yield* patroni
          const server = yield* serve(cluster.url, cluster)
          const { member } = yield* company(server)
          const keys = yield* Effect.replicateEffect(createKey(server, member), 6)
          const revokeAll = (some: typeof keys) =>
            Effect.forEach(some, (key) => revoke(server, member, key), { concurrency: "unbounded" })
          expect(yield* revokeAll(keys.slice(0, 3))).toEqual([200, 200, 200])
          const leader = yield* cluster.whole
          for (const { stall } of yield* cluster.standbys) yield* stall
          const stalled = yield* Effect.fork(revokeAll(keys.slice(3)))
          yield* eventually(
            "a revocation waits for a standby",
            Effect.map(
              execute(
                leader.adminUrl,
                "select pid from pg_stat_activity where wait_event = 'SyncRep' and application_name = 'doorlock'"
              ),
              (waiting) => waiting.length > 0
            )
          )
          const standbys = yield* cluster.standbys
          yield* leader.kill
          for (const { resume } of standbys) yield* resume
          expect(yield* Fiber.join(stalled)).not.toContain(200)
          yield* eventually(
            "another leads",
            Effect.map(
              Effect.either(cluster.leader),
              (found) => found._tag === "Right" && found.right.name !== leader.name
            )
          )
          yield* leader.start
          yield* cluster.whole
          const another = yield* serve(cluster.url, cluster)
          for (const { token } of keys.slice(0, 3)) {
            expect((yield* withKey(server, token)).status).toBe(401)
            expect((yield* withKey(another, token)).status).toBe(401)
          }
          expect(yield* revokeAll(keys.slice(3))).toEqual([200, 200, 200])

          const { url } = cluster
          const { adminUrl } = yield* cluster.whole
          const judged = (as: Redacted.Redacted) =>
            Effect.map(replication({ url, migrator: { url: as } }), ({ message, status }) => [
              status,
              message.split(":")[0]
            ])
          expect(yield* judged(adminUrl)).toEqual(["ok", "Replication is synchronous"])
          expect((yield* judged(url))[0]).toBe("ok")
          expect((yield* servers({ url, migrator: { url } }))?.status).toBe("ok")
          yield* cluster.beAsynchronous
          yield* eventually(
            "doctor warns of asynchronous replication",
            Effect.map(judged(url), (found) =>
              Bun.deepEquals(found, ["warning", "Replication is asynchronous"])
            )
          )
        })
    )
  }
)
