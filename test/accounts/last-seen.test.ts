/** The use of dashboard sessions is recorded, and no request waits for the write. */
import { expect, it } from "@effect/vitest"
import { Effect, Exit, type Redacted, Scope } from "effect"
import { connect } from "../../src/db/connection.ts"
import { running } from "../support/background.ts"
import { createKey, type Member, send, signUp } from "../support/client.ts"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { execute } from "../support/postgres.ts"
import { type RunningServer, startServerOn } from "../support/server.ts"

/** A member whose stored last use was two minutes ago. */
const idleMember = (server: RunningServer) =>
  Effect.tap(signUp(server), ({ userId }) =>
    execute(
      server.databaseUrl,
      "update dashboard_sessions set last_seen_at = now() - interval '2 minutes' where user_id = $1",
      [userId]
    )
  )

/** Sends this many requests at once, and expects success. */
const use = (server: Pick<RunningServer, "url">, { cookie }: Member, times: number) =>
  Effect.map(
    Effect.replicateEffect(send(server, "GET", "/api/auth/me", { headers: { cookie } }), times, {
      concurrency: "unbounded"
    }),
    (answers) => expect(answers.map(({ status }) => status)).toEqual(Array(times).fill(200))
  )

/** A server that writes uses by itself. */
const starting = (url: Redacted.Redacted) => startServerOn(url).pipe(running("accounts.uses", "keys.uses"))

const isFresh = (url: Redacted.Redacted, { userId }: Member) =>
  Effect.map(
    execute(
      url,
      "select last_seen_at > now() - interval '1 minute' as fresh from dashboard_sessions where user_id = $1",
      [userId]
    ),
    ([session]) => session?.fresh === true
  )

const written = (url: Redacted.Redacted, member: Member) =>
  eventually("it is written that the session was used", isFresh(url, member))

/**
 * Waits until the process has had a chance to write what it has collected. It collects uses of platform keys for as long as
 * uses of sessions, so the wait for two key uses, one after the other, covers one whole collection.
 */
const aBatchLater = (server: RunningServer, member: Member) =>
  Effect.gen(function* () {
    for (let i = 0; i < 2; i++) {
      const key = yield* createKey(server, member)
      // No such session, but the key is good.
      yield* send(server, "GET", `/api/kyc/sessions/${crypto.randomUUID()}`, {
        headers: { "x-api-key": key.token }
      })
      yield* eventually(
        "it is written that the key was used",
        Effect.map(
          execute(server.databaseUrl, "select from api_keys where id = $1 and last_used_at is not null", [
            key.id
          ]),
          ({ length }) => length === 1
        )
      )
    }
  })

/** Keeps sessions readable but not writable, until the scope closes or the returned effect runs. */
const blocked = (url: Redacted.Redacted) =>
  Effect.gen(function* () {
    const client = yield* connect(url)
    yield* Effect.promise(() => client.query("begin; lock table dashboard_sessions in exclusive mode"))
    return Effect.promise(() => client.query("rollback"))
  })

const isWriting = (url: Redacted.Redacted) =>
  Effect.map(
    execute(
      url,
      `select count(*)::int as writes from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and query like '%dashboard_sessions%'`
    ),
    ([row]) => row?.writes === 1
  )

it.scopedLive("one write per process, however many concurrent requests", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const servers = [yield* startServerOn(url), yield* startServerOn(url)] as const
    yield* execute(
      url,
      `create table writes (user_id uuid);
       create function note_write() returns trigger language plpgsql as
         'begin insert into writes values (new.user_id); return new; end'`
    )
    const member = yield* idleMember(servers[0])
    yield* execute(
      url,
      "create trigger noted after update on dashboard_sessions for each row execute function note_write()"
    )
    yield* Effect.all(
      servers.map((server) => use(server, member, 25)),
      { concurrency: "unbounded" }
    )
    yield* Effect.all(
      servers.map(({ run }) => run("accounts.uses")),
      { concurrency: "unbounded" }
    )
    expect(yield* isFresh(url, member)).toBe(true)
    expect(
      yield* execute(url, "select count(*)::int as writes from writes where user_id = $1", [member.userId])
    ).toEqual([{ writes: 1 }])
  })
)

it.scopedLive("a write that hangs delays no request and occupies at most one connection", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    // The statement hangs until the test releases it.
    const server = yield* starting(url)
    const member = yield* idleMember(server)
    const other = yield* idleMember(server)
    const release = yield* blocked(url)
    yield* use(server, member, 20)
    yield* eventually("it is being written", isWriting(url))
    // The server answers these while the write hangs.
    yield* use(server, other, 20)
    yield* aBatchLater(server, other)
    expect(yield* isWriting(url)).toBe(true)
    yield* release
    yield* written(url, member)
    yield* written(url, other)
  })
)

it.scopedLive("a write that hangs does not delay the shutdown", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const scope = yield* Scope.make()
    const server = yield* Scope.extend(starting(url), scope)
    const member = yield* idleMember(server)
    const release = yield* blocked(url)
    yield* use(server, member, 1)
    yield* eventually("it is being written", isWriting(url))
    // The server stops, although it cannot write.
    yield* Scope.close(scope, Exit.void)
    // The cancelled statement may still wait for a moment.
    yield* eventually(
      "nothing is being written",
      Effect.map(isWriting(url), (writes) => !writes)
    )
    yield* release
    expect(yield* isFresh(url, member)).toBe(false)
  })
)

it.scopedLive("when it cannot be written, requests still succeed, and it is retried once a minute", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const server = yield* starting(url)
    const member = yield* idleMember(server)
    // A sequence keeps counting even if the transaction is rolled back.
    yield* execute(
      url,
      `create sequence tries;
       create function fail_write() returns trigger language plpgsql as
         $$begin perform nextval('tries'); raise exception 'not now'; end$$;
       create trigger failing before update on dashboard_sessions for each row execute function fail_write()`
    )
    for (let round = 0; round < 3; round++) {
      yield* use(server, member, 5)
      yield* aBatchLater(server, member)
    }
    expect(yield* execute(url, "select last_value::int as tries, is_called from tries")).toEqual([
      { tries: 1, is_called: true }
    ])
  })
)
