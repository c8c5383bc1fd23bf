/** What a browser does with its session waits for what it did before, and keeps nobody else waiting. */
import { SqlError } from "@effect/sql/SqlError"
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { connect } from "../../../src/db/connection.ts"
import { SessionMutex } from "../../../src/kyc/sessions/mutex-service.ts"
import { type Answer, type TestSession, text } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { secret, site, tokenWith, verify } from "../../support/kyc/captcha.ts"
import { check, newKeyHash } from "../../support/kyc/dedup.ts"
import { samples, upload } from "../../support/kyc/files.ts"
import { claim, create, type Made, make, newReceipt } from "../../support/kyc/handoffs.ts"
import { type Company, Partner, startCompany } from "../../support/kyc/partner.ts"
import { startReading } from "../../support/kyc/readings.ts"
import { execute } from "../../support/postgres.ts"
import { suite } from "../../support/suite.ts"

interface Prepared {
  readonly file: string
  readonly handoff: Made
  readonly receipt: string
}

/** Each locks the row of its session or handoff. */
const acts: Readonly<
  Record<string, (company: Company, session: TestSession, given: Prepared) => Effect.Effect<Answer>>
> = {
  progress: ({ progress }, session) => progress(session, { progress: { s_person: { a: 1 } } }),
  completion: ({ complete }, session) => complete(session),
  "dedup check": (company, session) => check(company, session, newKeyHash()),
  handoff: (company, session) => create(company, session),
  "claim of a handoff": (company, _, { handoff, receipt }) => claim(company, handoff, receipt),
  reading: ({ server }, session, { file }) => startReading(server, session, file),
  captcha: (company, session) =>
    Effect.flatMap(
      Effect.promise(() => tokenWith({})),
      (token) => verify(company, session, token, { siteKey: site })
    ),
  upload: ({ server }, session) => upload(server, session, samples.png)
}

const fewConnections = Layer.scoped(
  Partner,
  Effect.orDie(startCompany({ DATABASE_POOL: "4", CAPTCHA_JWT_SECRET: secret }))
)

suite(fewConnections)("Many at once in one session, whose rows are locked, delay no other session", (it) => {
  it.scoped.each(Object.entries(acts))("%s", ([_, act]) =>
    Effect.gen(function* () {
      const company = yield* Partner
      const { databaseUrl } = company.server
      const [session, other] = [yield* company.newSession(), yield* company.newSession()]
      const prepare = (one: TestSession) =>
        Effect.gen(function* () {
          const file = text((yield* upload(company.server, one, samples.png)).body, "file", "id")
          return { file, handoff: yield* make(company, one), receipt: newReceipt() }
        })
      const [given, others] = [yield* prepare(session), yield* prepare(other)]
      const locker = yield* connect(databaseUrl)
      const run = (statement: string) => Effect.promise(() => locker.query(statement))
      yield* run(
        `begin; select from kyc_sessions where id = '${session.id}' for update;
         select from kyc_handoffs where session_id = '${session.id}' for update`
      )
      const waiting = yield* Effect.fork(
        Effect.replicateEffect(act(company, session, given), 6, { concurrency: "unbounded" })
      )
      yield* eventually(
        "one waits for the lock",
        Effect.map(
          execute(
            databaseUrl,
            "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
          ),
          ({ length }) => length > 0
        )
      )
      // Several times, because some of the six may still be on their way.
      for (let time = 0; time < 3; time++) {
        expect((yield* act(company, other, others)).status).toBeLessThan(300)
      }
      expect(yield* Fiber.poll(waiting)).toMatchObject({ _tag: "None" })
      yield* run("rollback")
      for (const { status } of yield* Fiber.join(waiting)) expect(status).toBeLessThan(300)
    })
  )
})

const link = (token: number) => ({ id: "a session", tokenHash: Uint8Array.of(token) })

/** Three with one key; the first ends like `first` once `go` is done. */
const three = (first: Effect.Effect<string, string>) =>
  Effect.gen(function* () {
    const { withLock } = yield* SessionMutex
    const go = yield* Deferred.make<void>()
    const began: Array<string> = []
    const begin = (name: string, then: Effect.Effect<string, string> = Effect.succeed(name)) =>
      Effect.zipRight(
        Effect.sync(() => void began.push(name)),
        then
      )
    const all = yield* Effect.forEach(
      [begin("first", Effect.zipRight(Deferred.await(go), first)), begin("second"), begin("third")],
      (one) => Effect.fork(withLock(link(1))(one))
    )
    yield* Effect.yieldNow()
    expect(yield* withLock(link(2))(begin("of a newer link"))).toBe("of a newer link")
    expect(began).toEqual(["first", "of a newer link"])
    yield* Deferred.succeed(go, undefined)
    const exits = yield* Effect.forEach(all, Fiber.await)
    return { began, exits, last: yield* withLock(link(1))(begin("last")) }
  }).pipe(Effect.provide(SessionMutex.Default))

it.effect("one after another, in their order; what fails alone fails nothing else", () =>
  Effect.gen(function* () {
    for (const first of [Effect.fail("refused"), Effect.die("a bug")]) {
      expect(yield* three(first)).toEqual({
        began: ["first", "of a newer link", "second", "third", "last"],
        exits: [yield* Effect.exit(first), Exit.succeed("second"), Exit.succeed("third")],
        last: "last"
      })
    }
  })
)

it.effect("what waits behind a statement that the database does not answer fails with it", () =>
  Effect.gen(function* () {
    const unanswered = Effect.die(new SqlError({ cause: new Error("no answer") }))
    const failed = yield* Effect.exit(unanswered)
    expect(yield* three(unanswered)).toEqual({
      began: ["first", "of a newer link", "last"],
      exits: [failed, failed, failed],
      last: "last"
    })
  })
)
