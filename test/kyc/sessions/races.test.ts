import { expect } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { connect } from "../../../src/db/connection.ts"
import { createInstance, field, signUp, text } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { Partner, refusal, startCompany, statusAndBody, unknownId } from "../../support/kyc/partner.ts"
import { execute } from "../../support/postgres.ts"
import { suite } from "../../support/suite.ts"

const atOnce = { concurrency: "unbounded" } as const

type DatabaseUrl = Parameters<typeof execute>[0]

/** Has Postgres write down every update of a session: the effects that there really were. */
const countUpdates = (databaseUrl: DatabaseUrl) =>
  execute(
    databaseUrl,
    `create table updates (session_id uuid, status text);
     create function count_update() returns trigger language plpgsql security definer as
       'begin insert into updates values (new.id, new.status); return new; end';
     create trigger count_update after update on kyc_sessions
       for each row execute function count_update()`
  )

const updatesOf = (databaseUrl: DatabaseUrl, id: string) =>
  execute(databaseUrl, "select status from updates where session_id = $1", [id])

const countingPartner = Layer.scoped(
  Partner,
  Effect.orDie(Effect.tap(startCompany(), ({ server }) => countUpdates(server.databaseUrl)))
)

suite(countingPartner)("Concurrent requests (contract.md#completion)", (it) => {
  it.effect("50 completes: exactly one takes effect, and all get the same response", () =>
    Effect.gen(function* () {
      const { complete, newSession, read, server } = yield* Partner
      const session = yield* newSession({
        successRedirectUrl: "https://example.com/ok",
        failureRedirectUrl: "https://example.com/no"
      })
      const answers = yield* Effect.all(
        Array.from({ length: 50 }, (_, i) => {
          const status = ["completed", "failed", "cancelled"][i % 3]
          return complete(session, { status, result: status })
        }),
        atOnce
      )
      const { body } = yield* read(session)
      const winner = field(body, "session", "status")
      expect(["completed", "failed", "cancelled"]).toContain(winner)
      expect(field(body, "session", "result")).toBe(winner)
      for (const answer of answers) {
        expect(statusAndBody(answer)).toStrictEqual({
          status: 200,
          body: {
            ok: true,
            session: { id: session.id, status: winner },
            redirectUrl: `https://example.com/${winner === "completed" ? "ok" : "no"}`
          }
        })
      }
      expect(yield* updatesOf(server.databaseUrl, session.id)).toEqual([{ status: winner }])
    })
  )

  it.effect("60 creations, also with wrong instances: each gets the response that it would get alone", () =>
    Effect.gen(function* () {
      const { asPartner, create, instance, server } = yield* Partner
      const foreign = yield* createInstance(server, yield* signUp(server))
      const kinds: ReadonlyArray<readonly [request: object, refused?: object]> = [
        [{}],
        [{ instanceId: "", instanceKey: instance.publicKey }],
        [{ instanceId: unknownId }, refusal(404, "Instance not found")],
        [{ instanceId: foreign.id }, refusal(403, "API key is not allowed for this instance")]
      ]
      const asked = Array.from({ length: 60 }, (_, number) => {
        const [request, refused] = kinds[number % kinds.length] ?? [{}]
        return { refused, request: { metadata: { number }, externalReference: `race-${number}`, ...request } }
      })
      const answers = yield* Effect.forEach(asked, ({ request }) => create(request), atOnce)
      for (const [place, { refused, request }] of asked.entries()) {
        const answer = answers[place]
        if (answer === undefined || refused !== undefined) {
          expect(answer === undefined ? answer : statusAndBody(answer)).toStrictEqual(refused)
          continue
        }
        const id = text(answer.body, "session", "id")
        expect(
          yield* execute(
            server.databaseUrl,
            "select from kyc_sessions where id = $1 and token_hash = sha256(convert_to($2, 'UTF8'))",
            [id, text(answer.body, "sessionToken")]
          )
        ).toHaveLength(1)
        const { body } = yield* asPartner(`/api/kyc/sessions/${id}`)
        expect(field(body, "session")).toMatchObject({
          metadata: request.metadata,
          external_reference: request.externalReference
        })
      }
      expect(
        yield* execute(server.databaseUrl, "select from kyc_sessions where external_reference like 'race-%'")
      ).toHaveLength(30)
    })
  )

  it.effect("50 progress merges that are too large together: exactly those answered 200 are kept", () =>
    Effect.gen(function* () {
      const { newSession, progress, read } = yield* Partner
      const session = yield* newSession()
      const value = "x".repeat(3_000)
      const answers = yield* Effect.all(
        Array.from({ length: 50 }, (_, i) => progress(session, { progress: { [`k${i}`]: value } })),
        atOnce
      )
      const kept: Record<string, string> = {}
      for (const [i, answer] of answers.entries()) {
        if (answer.status === 200) kept[`k${i}`] = value
        else expect(statusAndBody(answer)).toStrictEqual(refusal(413, "progress is too large"))
      }
      // 21 values of 3,000 bytes and their keys are 64 KiB.
      expect(Object.keys(kept).length).toBe(21)
      expect(field((yield* read(session)).body, "session", "progress")).toStrictEqual(kept)
    })
  )

  it.effect("Progress against complete: what got 200 is kept, what came too late gets 409", () =>
    Effect.gen(function* () {
      const { complete, newSession, progress, read, server } = yield* Partner
      const session = yield* newSession()
      const completion = 20
      const answers = yield* Effect.forEach(
        Array.from({ length: 50 }, (_, i) => i),
        (i) =>
          i === completion
            ? complete(session, { result: "done" })
            : progress(session, { progress: { [`k${i}`]: i } }),
        { concurrency: 10 }
      )
      const kept: Record<string, number> = {}
      for (const [i, answer] of answers.entries()) {
        if (i === completion) expect(answer.status).toBe(200)
        else if (answer.status === 200) kept[`k${i}`] = i
        else expect(statusAndBody(answer)).toStrictEqual(refusal(409, "Session is not updatable"))
      }
      const { body } = yield* read(session)
      expect(field(body, "session", "progress")).toStrictEqual(kept)
      expect(field(body, "session", "status")).toBe("completed")
      expect(field(body, "session", "result")).toBe("done")
      expect(field(body, "session", "completed_at")).toBe(field(body, "session", "updated_at"))
      // The completion is the last that happened to it. Progress that waited at the same time is one update.
      const updates = yield* updatesOf(server.databaseUrl, session.id)
      expect(updates.length).toBeLessThanOrEqual(Object.keys(kept).length + 1)
      expect(updates.at(-1)).toEqual({ status: "completed" })
    })
  )

  it.effect(
    "Writes of 40 sessions at once, also refused ones: each gets the response that it would get alone",
    () =>
      Effect.gen(function* () {
        const { complete, newSession, progress, read, server } = yield* Partner
        const sessions = yield* Effect.replicateEffect(newSession(), 40)
        const finished = sessions.filter((_, i) => i % 4 === 3)
        yield* Effect.forEach(finished, (session) => complete(session), atOnce)
        const started = yield* Effect.forEach(
          sessions,
          (session, i) => progress(session, { status: "running", progress: { i } }),
          atOnce
        )
        for (const [i, answer] of started.entries()) {
          if (i % 4 === 3)
            expect(statusAndBody(answer)).toStrictEqual(refusal(409, "Session is not updatable"))
          else expect(field(answer.body, "session", "id")).toBe(sessions[i]?.id)
        }
        const ended = yield* Effect.forEach(
          sessions,
          (session, i) => complete(session, { result: i }),
          atOnce
        )
        for (const [i, session] of sessions.entries()) {
          const isFinished = i % 4 === 3
          expect(field(ended[i]?.body, "session", "id")).toBe(session.id)
          const { body } = yield* read(session)
          expect(field(body, "session", "status")).toBe("completed")
          expect(field(body, "session", "progress")).toStrictEqual(isFinished ? {} : { i })
          expect(field(body, "session", "result")).toBe(isFinished ? null : i)
          expect(yield* updatesOf(server.databaseUrl, session.id)).toEqual(
            (isFinished ? ["completed"] : ["running", "completed"]).map((status) => ({ status }))
          )
        }
      })
  )

  it.effect(
    "50 times failed: one of them ends the session; the others are refused, and nothing of them is stored",
    () =>
      Effect.gen(function* () {
        const { newSession, progress, read, server } = yield* Partner
        const session = yield* newSession()
        const answers = yield* Effect.forEach(
          Array.from({ length: 50 }, (_, i) => i),
          (i) => progress(session, { status: "failed", progress: { [`k${i}`]: i } }),
          atOnce
        )
        const winners = answers.flatMap(({ status }, i) => (status === 200 ? [i] : []))
        expect(winners).toHaveLength(1)
        for (const [i, answer] of answers.entries()) {
          if (!winners.includes(i)) {
            expect(statusAndBody(answer)).toStrictEqual(refusal(409, "Session is not updatable"))
          }
        }
        const { body } = yield* read(session)
        expect(field(body, "session", "progress")).toStrictEqual({ [`k${winners[0]}`]: winners[0] })
        expect(yield* updatesOf(server.databaseUrl, session.id)).toEqual([{ status: "failed" }])
      })
  )

  it.scoped(
    "Writes of one session that wait: an old link writes nothing, and what is too large is refused also if it is replaced",
    () =>
      Effect.gen(function* () {
        const { newSession, progress, read, server } = yield* Partner
        const session = yield* newSession()
        const old = yield* newSession()
        const locker = yield* connect(server.databaseUrl)
        const run = (text: string, values: Array<unknown> = []) =>
          Effect.promise(() => locker.query(text, values))
        // Both links have been used, so their keys are remembered.
        const [large, first] = ["x".repeat(30_000), "y".repeat(40_000)]
        for (const each of [session, old]) yield* progress(each, { progress: { first } })
        yield* run("begin")
        yield* run("select from kyc_sessions where id = $1 for update", [session.id])
        const waiting = yield* Effect.fork(
          Effect.all(
            [
              progress(session, { progress: { ahead: 1 } }),
              progress(session, { progress: { kept: large, lost: 1 } }),
              progress(session, { progress: { kept: 1 } }),
              progress({ ...session, token: old.token }, { progress: { forged: 1 } }),
              progress(session, { progress: { last: 1 } })
            ],
            atOnce
          )
        )
        yield* eventually(
          "a write waits for the lock",
          Effect.map(
            execute(
              server.databaseUrl,
              "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%kyc_sessions%'"
            ),
            (found) => found.length > 0
          )
        )
        yield* run("commit")
        const answers = yield* Fiber.join(waiting)
        expect(answers.map(({ status }) => status)).toEqual([200, 413, 200, 404, 200])
        expect(field((yield* read(session)).body, "session", "progress")).toStrictEqual({
          first,
          ahead: 1,
          kept: 1,
          last: 1
        })
      })
  )
})
