/** What a session costs, against the same written by hand. Both servers record the events, and seal. */
import { Effect, Layer, Redacted } from "effect"
import { keyOwner, sealMetadata } from "../../../src/kyc/sessions/sealing-model.ts"
import { DataKeys } from "../../../src/secrets/data-keys.ts"
import { SecretKey } from "../../../src/secrets/secret-key.ts"
import { newToken, tokenHash } from "../../../src/secrets/token.ts"
import { createInstance, createKey, signUp } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { execute } from "../../support/postgres.ts"
import type { Call, Request } from "../load.ts"
import { baseline, doorlock, postgres, type Server } from "../servers.ts"
import { compare, mustAgree } from "../table.ts"

const json = { "content-type": "application/json" }
const against = "Bun.serve and pg"
const route = "/api/kyc/public/sessions"

/** More sessions than any of the servers starts or completes in a second. */
const startedPerSecond = 10_000

/**
 * The sessions of a service that neither lists them nor keeps what their data promises: the primary keys are the only indexes, and there are no
 * constraints and triggers. The events are recorded as usual.
 */
const leastSchema = `
  create schema least;
  create table least.kyc_sessions (like kyc_sessions including defaults, primary key (id));
  create table least.kyc_session_keys (like kyc_session_keys, primary key (session_id))`

interface NewSession {
  readonly token: string
  readonly path: string
}

const progress = ({ path, token }: NewSession) => ({
  path: `${path}/progress`,
  method: "POST" as const,
  headers: json,
  body: JSON.stringify({ token, status: "running", progress: { s_person: { givenName: "Ada" } } })
})

const complete = ({ path, token }: NewSession) => ({
  path: `${path}/complete`,
  method: "POST" as const,
  headers: json,
  body: JSON.stringify({ token, result: { outcome: "submitted" } })
})

export const sessions = Effect.gen(function* () {
  const databaseUrl = yield* postgres
  const secretKey = crypto.randomUUID()
  const service = { ...(yield* doorlock(databaseUrl, { SECRET_KEY: secretKey })), databaseUrl }
  const dataKeys = yield* Effect.provide(
    DataKeys,
    Layer.provide(DataKeys.Default, SecretKey.layer(Redacted.make(secretKey)))
  )
  const written = yield* baseline("sessions", {
    DATABASE_URL: Redacted.value(databaseUrl),
    SECRET_KEY: secretKey,
    APP_URL: service.url
  })
  yield* execute(databaseUrl, leastSchema)
  const inLeastSchema = new URL(Redacted.value(databaseUrl))
  inLeastSchema.searchParams.set("options", "-c search_path=least,public")
  const least = yield* baseline("sessions", {
    DATABASE_URL: inLeastSchema.href,
    SECRET_KEY: secretKey,
    APP_URL: service.url
  })
  const member = yield* signUp(service)
  const key = yield* createKey(service, member)
  const instance = yield* createInstance(service, member)

  /** Inserts sessions without events, so that the feed has only those of the calls below. */
  const newSessions = (count: number): Effect.Effect<ReadonlyArray<NewSession>> =>
    Effect.gen(function* () {
      const made = Array.from({ length: count }, () => {
        const id = Bun.randomUUIDv7()
        const { key, sealed } = dataKeys.make(keyOwner(member.companyId, id))
        return {
          id,
          token: newToken("kyc_sess_"),
          key: sealed,
          metadata: sealMetadata(key, { plan: "gold" })
        }
      })
      yield* execute(
        service.databaseUrl,
        `with given as (
           select * from unnest($2::uuid[], $3::bytea[], $4::text[], $5::bytea[]) as given (id, hash, metadata, sealed_key)
         ), keyed as (
           insert into kyc_session_keys (session_id, sealed_key, sealed_with) select id, sealed_key, $6 from given
         )
         insert into kyc_sessions (id, instance_id, company_id, version_id, mode, external_reference, metadata,
           token_hash, expires_at)
         select given.id, i.id, i.company_id, i.version_id, 'prod', 'customer-42', to_jsonb(given.metadata),
           given.hash, now() + interval '1 hour'
         from kyc_instances i, given where i.id = $1`,
        [
          instance.id,
          made.map(({ id }) => id),
          made.map(({ token }) => tokenHash(token)),
          made.map(({ metadata }) => metadata),
          made.map(({ key }) => key.sealed_key),
          dataKeys.sealedWith
        ]
      )
      return made.map(({ id, token }) => ({ token, path: `${route}/${id}` }))
    }).pipe(Effect.orDie)
  const newSession = Effect.map(newSessions(1), ([made]) => made ?? { token: "", path: "" })

  const call = (server: Server, { path, ...request }: Request): Call => ({
    url: `${server.url}${path}`,
    ...request
  })
  /** Each request is for another session. All are inserted before the measurement. */
  const ofEach = (server: Server, request: (of: NewSession) => Request): [Server, Call] => [
    server,
    {
      url: server.url,
      each: (seconds) =>
        Effect.runPromise(
          Effect.map(newSessions(seconds * startedPerSecond), (made) => made.map((of) => request(of)))
        )
    }
  ]

  const session = yield* newSession
  const read = { path: `${session.path}?token=${session.token}` }
  const create = {
    path: route,
    method: "POST" as const,
    headers: { ...json, "x-api-key": key.token },
    body: JSON.stringify({ instanceId: instance.id, externalReference: "customer-42" })
  }
  // Each its own session: two servers at one row would wait for one another.
  const another = yield* newSession
  for (const [ours, theirs] of [
    [read, read],
    [create, create],
    [progress(session), progress(another)],
    [progress(session), progress(another)],
    [complete(session), complete(another)]
  ] as const) {
    yield* mustAgree(call(service, ours), call(written, theirs), true)
  }
  yield* eventually(
    "the feed has the same events of both servers: that the session was created, started once, and completed",
    Effect.map(
      execute(
        service.databaseUrl,
        `select type from events where starts_with(type, 'kyc.session.')
         group by type, data - 'id' - 'url' having count(*) = 2 and count(distinct data ->> 'id') = 2 order by type`
      ),
      (found) =>
        found.map(({ type }) => type).join() ===
        "kyc.session.completed,kyc.session.created,kyc.session.started"
    )
  )

  const open = yield* newSession
  const alsoOpen = yield* newSession
  const row = (what: string, ours: [Server, Call], theirs: [Server, Call]) =>
    compare(what, against, 0.9, ours, theirs)
  yield* row("read a session", [service, call(service, read)], [written, call(written, read)])
  yield* row(
    "create a session with a key",
    [service, call(service, create)],
    [written, call(written, create)]
  )
  yield* row(
    "progress of one session",
    [service, call(service, progress(open))],
    [written, call(written, progress(alsoOpen))]
  )
  yield* row(
    "progress that starts a session, another each time",
    ofEach(service, progress),
    ofEach(written, progress)
  )
  yield* row("complete a session, another each time", ofEach(service, complete), ofEach(written, complete))

  yield* execute(
    databaseUrl,
    `with keyed as (insert into least.kyc_session_keys select * from kyc_session_keys where session_id = $1)
     insert into least.kyc_sessions select * from kyc_sessions where id = $1`,
    [alsoOpen.path.slice(route.length + 1)]
  )
  const leastRow = (what: string, ours: Call, theirs: Request) =>
    compare(what, "least schema", 0.9, [service, ours], [least, call(least, theirs)])
  yield* leastRow("create a session with a key", call(service, create), create)
  yield* leastRow("progress of one session", call(service, progress(open)), progress(alsoOpen))
})
