/** The feed while transactions overlap: what a reader has passed is never added to. */
import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { connect } from "../../src/db/connection.ts"
import { createInstance, createKey, createSession, signUp } from "../support/client.ts"
import { freshDatabase, servedUrl } from "../support/database.ts"
import { feedReader } from "../support/feed.ts"
import { startServerOn } from "../support/server.ts"

/** Two servers on one database, and a company. */
const start = Effect.gen(function* () {
  const databaseUrl = yield* freshDatabase
  const environment = { DATABASE_URL: Redacted.value(servedUrl(databaseUrl)), DATABASE_POOL: "20" }
  const [server, other] = [
    yield* startServerOn(databaseUrl, environment),
    yield* startServerOn(databaseUrl, environment)
  ]
  const member = yield* signUp(server)
  const key = yield* createKey(server, member)
  const instance = yield* createInstance(server, member)
  /** A transaction that has recorded an event and stays open until the test ends it. */
  const held = (name: string) =>
    Effect.gen(function* () {
      const client = yield* connect(databaseUrl)
      const query = (text: string, values: ReadonlyArray<unknown> = []) =>
        Effect.promise(() => client.query(text, [...values]))
      yield* query("begin")
      yield* query(
        "insert into event_outbox (company_id, type, data) values ($1, 'kyc.session.created', jsonb_build_object('id', $2::text))",
        [member.companyId, name]
      )
      return { commit: query("commit"), rollback: query("rollback") }
    })
  return {
    server,
    other,
    held,
    reader: (limit: string) => feedReader(key.token, { type: "kyc.session.created", limit }),
    newSession: (on = server) => createSession(on, key.token, instance.id)
  }
})

const ids = (events: ReadonlyArray<{ readonly data: { readonly id: string } }>) =>
  events.map(({ data }) => data.id)

it.scopedLive(
  "readers of two servers miss nothing of 32 writers, although another transaction stays open all the while",
  () =>
    Effect.gen(function* () {
      const { held, newSession, other, reader, server } = yield* start
      const open = yield* held("open all the while")
      const [here, there] = [reader("7"), reader("3")]
      const reading = yield* Effect.fork(
        Effect.forever(Effect.zip(here.read(server), there.read(other), { concurrent: true }))
      )
      const sessions = yield* Effect.forEach(
        Array.from({ length: 320 }),
        (_, index) => newSession(index % 2 === 0 ? server : other),
        { concurrency: 32 }
      )
      yield* Fiber.interrupt(reading)
      const made = sessions.map(({ id }) => id).sort()
      for (const [one, at] of [
        [here, other],
        [there, server]
      ] as const) {
        yield* one.read(at)
        // Twice: at the end, nothing new comes.
        expect(yield* one.read(at)).toEqual([])
        expect(ids(one.seen()).sort()).toEqual(made)
      }
      yield* open.commit
      for (const one of [here, there]) expect(ids(yield* one.read(server))).toEqual(["open all the while"])
      const late = reader("100")
      yield* late.read(server)
      expect(late.seen()).toEqual(here.seen())
      expect(late.seen()).toEqual(there.seen())
    }),
  240_000
)
