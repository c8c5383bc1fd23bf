/** The use of dashboard sessions is recorded, and no request waits for the write. */
import { expect, it } from "@effect/vitest"
import { Effect, Exit, type Redacted, Scope } from "effect"
import { connect } from "../../src/db/connection.ts"
import { running } from "../support/background.ts"
import { type Member, send, signUp } from "../support/client.ts"
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

const isFresh = (url: Redacted.Redacted, { userId }: Member) =>
  Effect.map(
    execute(
      url,
      "select last_seen_at > now() - interval '1 minute' as fresh from dashboard_sessions where user_id = $1",
      [userId]
    ),
    ([session]) => session?.fresh === true
  )

/** Keeps sessions readable but not writable, until the scope closes or the returned effect runs. */
const blocked = (url: Redacted.Redacted) =>
  Effect.gen(function* () {
    const client = yield* connect(url)
    yield* Effect.promise(() => client.query("begin; lock table dashboard_sessions in exclusive mode"))
    return Effect.promise(() => client.query("rollback"))
  })

const writes = (url: Redacted.Redacted) =>
  Effect.map(
    execute(
      url,
      `select from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and query like '%dashboard_sessions%'`
    ),
    ({ length }) => length
  )

const isWriting = (url: Redacted.Redacted) => Effect.map(writes(url), (count) => count === 1)

it.scopedLive("one write per process, however many concurrent requests", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const servers = [yield* startServerOn(url), yield* startServerOn(url)] as const
    const member = yield* idleMember(servers[0])
    yield* execute(
      url,
      `create table writes (user_id uuid);
       create function note_write() returns trigger language plpgsql as
         'begin insert into writes values (new.user_id); return new; end';
       create trigger noted after update on dashboard_sessions for each row execute function note_write()`
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
    expect(yield* execute(url, "select from writes where user_id = $1", [member.userId])).toHaveLength(1)
  })
)

it.scopedLive(
  "a write that hangs delays no request, occupies one connection at most, and does not delay the shutdown",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const scope = yield* Scope.make()
      const server = yield* Scope.extend(startServerOn(url).pipe(running("accounts.uses")), scope)
      const [member, other] = [yield* idleMember(server), yield* idleMember(server)]
      const release = yield* blocked(url)
      yield* use(server, member, 20)
      yield* eventually("it is being written", isWriting(url))
      // The server answers these while the write hangs.
      for (let round = 0; round < 3; round++) yield* use(server, other, 20)
      expect(yield* writes(url)).toBe(1)
      // The server stops, although it cannot write.
      yield* Scope.close(scope, Exit.void)
      // The cancelled statement may still wait for a moment.
      yield* eventually(
        "nothing is being written",
        Effect.map(isWriting(url), (writing) => !writing)
      )
      yield* release
      expect(yield* isFresh(url, member)).toBe(false)
    })
)
