/**
 * Another transaction has just changed the session: each statement that waited for it finds the new row. Postgres looks for such a row anew,
 * and in partitions it may fail to find it.
 */
import { expect } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, type Redacted } from "effect"
import { connect } from "../../../src/db/connection.ts"
import { CheckRepo } from "../../../src/kyc/checks/repo.ts"
import { newId } from "../../../src/shared/identifier.ts"
import type { Answer, TestSession } from "../../support/client.ts"
import { databaseOn } from "../../support/database.ts"
import { eventually } from "../../support/eventually.ts"
import { check, newKeyHash } from "../../support/kyc/dedup.ts"
import { samples, upload } from "../../support/kyc/files.ts"
import { create as createHandoff } from "../../support/kyc/handoffs.ts"
import { type Company, Partner } from "../../support/kyc/partner.ts"
import { execute } from "../../support/postgres.ts"
import { suite } from "../../support/suite.ts"

type Act = (given: Company, session: TestSession) => Effect.Effect<Pick<Answer, "status">, unknown>

const ofMember =
  (path: string, json: unknown = {}): Act =>
  ({ asMember }, { id }) =>
    asMember("POST", `/api/kyc/sessions/${id}/${path}`, json)

/** Its "status" is how many checks were stored. */
const storingOfChecks: Act = ({ server: { databaseUrl } }, { id }) =>
  Effect.gen(function* () {
    const repo = CheckRepo.Default.pipe(Layer.provide(databaseOn({ url: databaseUrl, maxConnections: 1 })))
    const { store } = Context.get(yield* Layer.build(repo), CheckRepo)
    const check = {
      kind: "session.signals",
      outcome: "agrees",
      content: "",
      file_ids: [],
      engine: "x"
    } as const
    yield* store([{ sessionId: id, checks: [{ ...check, id: newId() }] }])
    const stored = yield* execute(databaseUrl, "select from kyc_checks where session_id = $1", [id])
    return { status: stored.length }
  }).pipe(Effect.scoped)

/** What waits for a session that is being changed, and how it answers. */
const acts: ReadonlyArray<readonly [name: string, status: number, act: Act]> = [
  ["progress", 200, ({ progress }, session) => progress(session, { progress: { s_a: { a: "Ada" } } })],
  ["a start", 200, ({ progress }, session) => progress(session, { status: "running" })],
  ["completion", 200, ({ complete }, session) => complete(session, { result: { outcome: "submitted" } })],
  ["failure", 200, ({ complete }, session) => complete(session, { status: "failed" })],
  ["an upload", 201, ({ server }, session) => upload(server, session, samples.png)],
  ["a hand-off", 201, (given, session) => createHandoff(given, session)],
  ["a search for duplicates", 200, (given, session) => check(given, session, newKeyHash())],
  ["cancellation", 200, ofMember("cancel")],
  ["a new link", 200, ofMember("resume")],
  ["redaction", 200, ofMember("redact")],
  ["the storing of checks", 1, storingOfChecks]
]

/** Makes Postgres plan as for partitions of ten million sessions: it then looks each session up by its id. */
const largePartitions = (url: Redacted.Redacted) =>
  execute(
    url,
    `analyze kyc_sessions;
     update pg_class set reltuples = 1e7 where relname ~ '^kyc_sessions_[0-9]+$'`
  )

const waitsForSessions = (url: Redacted.Redacted) =>
  eventually(
    "the statement waits for the session",
    Effect.map(
      execute(
        url,
        `select from pg_locks waiting join pg_stat_activity using (pid)
         where not granted and query like '%kyc_sessions%' and datname = current_database()`
      ),
      (found) => found.length > 0
    )
  )

suite(Partner.layer)("While another transaction changes the session", (it) => {
  it.effect.each(acts)("%s waits, and is answered as usual", ([, status, act]) =>
    Effect.gen(function* () {
      const given = yield* Partner
      const session = yield* given.newSession()
      yield* largePartitions(given.server.databaseUrl)
      const other = yield* connect(given.server.databaseUrl)
      const run = (text: string, values: Array<unknown> = []) =>
        Effect.promise(() => other.query(text, values))
      yield* run("begin")
      yield* run("select from kyc_sessions where id = $1 for update", [session.id])
      yield* run("update kyc_sessions set updated_at = updated_at where id = $1", [session.id])
      const acting = yield* Effect.fork(act(given, session))
      yield* waitsForSessions(given.server.databaseUrl)
      yield* run("commit")
      expect((yield* Fiber.join(acting)).status).toBe(status)
    }).pipe(Effect.scoped)
  )
})
