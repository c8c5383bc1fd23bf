import { expect } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { type MockInstance, vi } from "vitest"
import { connect } from "../../src/db/connection.ts"
import { BudgetChannel } from "../../src/limits/shared-budget.ts"
import { type Answer, send, signUp } from "../support/client.ts"
import { withoutDatabase, withoutTable } from "../support/database/outage.ts"
import { eventually } from "../support/eventually.ts"
import { behindProxy, ProxiedServer } from "../support/http/behind-proxy.ts"
import { execute } from "../support/postgres.ts"
import { type RunningServer, startServer } from "../support/server.ts"
import { spied } from "../support/spies.ts"
import { stoppedClock } from "../support/stopped-clock.ts"
import { suite } from "../support/suite.ts"

interface Try {
  readonly email: string
  readonly password?: string
  readonly from?: string
}

const login = (
  server: Pick<RunningServer, "url">,
  { email, from, password = "incorrect horse battery staple" }: Try
) =>
  send(server, "POST", "/api/auth/login", {
    headers: from === undefined ? {} : { "x-forwarded-for": from },
    json: { email, password }
  })

const wrong = [401, { error: "Invalid email or password" }]
const throttled = [429, { error: "Too many requests" }]

const summary = ({ body, status }: Answer) => [status, body]

/** The abort signals of queued requests, which leave the queue when aborted. */
const signalsOf = ({ mock }: MockInstance<EventTarget["addEventListener"]>): ReadonlyArray<AbortSignal> =>
  mock.contexts.flatMap((target: unknown, i) =>
    target instanceof AbortSignal && mock.calls[i]?.[0] === "abort" ? [target] : []
  )

/** @param seconds the expected `Retry-After` */
const expectThrottled = (answer: Answer, seconds: number) => {
  expect(summary(answer)).toStrictEqual(throttled)
  expect(answer.headers.get("retry-after")).toBe(String(seconds))
  expect(answer.headers.getSetCookie()).toStrictEqual([])
}

/** Expects this many failures, and no more. */
const expectFailures = (
  server: Pick<RunningServer, "url">,
  failures: number,
  refill: number,
  next: (i: number) => Try
) =>
  Effect.gen(function* () {
    for (let i = 0; i < failures; i++) expect(summary(yield* login(server, next(i)))).toStrictEqual(wrong)
    expectThrottled(yield* login(server, next(failures)), refill)
  })

// `limits/password-guesses` has the budgets of addresses, networks and accounts, and what they leave to others.
suite(ProxiedServer.layer)("Sign-in: 429 after repeated failures (contract.md#sign-in)", (it) => {
  it.scoped("of one account from one network: 60, then one in 2 s", () =>
    Effect.gen(function* () {
      const server = yield* behindProxy
      const { email, password } = yield* signUp(server)
      const guess = () => ({ email, from: "203.0.113.1" })
      yield* expectFailures(server, 60, 2, guess)
      yield* server.pass(1_999)
      expectThrottled(yield* login(server, guess()), 1)
      yield* server.pass(1)
      yield* expectFailures(server, 1, 2, guess)
      // Not even the right password is checked. The account stays open from other networks, and the network for other
      // accounts.
      expectThrottled(yield* login(server, { email, password, from: "203.0.113.1" }), 2)
      expectThrottled(yield* login(server, { email: ` ${email.toUpperCase()}`, from: "203.0.113.1" }), 2)
      expect((yield* login(server, { email, password, from: "203.0.114.2" })).status).toBe(200)
      const other = yield* signUp(server)
      expect(
        (yield* login(server, { email: other.email, password: other.password, from: "203.0.113.1" })).status
      ).toBe(200)
    })
  )

  it.scoped(
    "of an unknown email: the same; of anything that is not an email address: one shared budget",
    () =>
      Effect.gen(function* () {
        const server = yield* behindProxy
        yield* expectFailures(server, 60, 2, () => ({ email: "nobody@example.com", from: "203.0.113.1" }))
        yield* expectFailures(server, 60, 2, (i) => ({ email: `nobody ${i}`, from: "203.0.114.1" }))
      })
  )

  it.scoped(
    "200 concurrent sign-ins with the right password all succeed",
    () =>
      Effect.gen(function* () {
        const server = yield* behindProxy
        const { email, password } = yield* signUp(server)
        const together = Array.from({ length: 200 }, () => ({ email, password, from: "203.0.113.1" }))
        const answers = yield* Effect.forEach(together, (given) => login(server, given), {
          concurrency: "unbounded"
        })
        expect(answers.map(({ status }) => status)).toStrictEqual(together.map(() => 200))
      }),
    120_000
  )

  it.scoped("concurrent attempts count like consecutive ones", () =>
    Effect.gen(function* () {
      const server = yield* behindProxy
      const { email } = yield* signUp(server)
      const answers = yield* Effect.all(
        Array.from({ length: 80 }, () => login(server, { email, from: "203.0.113.1" })),
        { concurrency: "unbounded" }
      )
      const failures = answers.filter(({ status }) => status === 401)
      for (const answer of failures) expect(summary(answer)).toStrictEqual(wrong)
      for (const answer of answers.filter((one) => !failures.includes(one))) expectThrottled(answer, 2)
      expect(failures).toHaveLength(60)
    })
  )

  it.scoped("without a trusted proxy, X-Forwarded-For gives no new budget", () =>
    Effect.gen(function* () {
      const server = yield* stoppedClock().by(startServer())
      yield* expectFailures(server, 60, 2, (i) => ({ email: "a@example.com", from: `203.0.113.${i}` }))
    })
  )

  it.scoped("attempts that failed because the database was down do not count", () =>
    Effect.gen(function* () {
      const server = yield* startServer({ TRUSTED_PROXIES: "127.0.0.1" })
      const { email, password } = yield* signUp(server)
      const from = "203.0.113.1"
      yield* withoutDatabase(
        server,
        Effect.gen(function* () {
          for (let i = 0; i < 15; i++) {
            expect(summary(yield* login(server, { email, password, from }))).toStrictEqual([
              500,
              { error: "Failed to sign in" }
            ])
          }
        })
      )
      yield* eventually(
        "signing in works again",
        Effect.map(login(server, { email, password, from }), ({ status }) => status === 200)
      )
    })
  )

  it.scoped("a rejected guess does not query the database", () =>
    Effect.gen(function* () {
      const server = yield* behindProxy
      const { email } = yield* signUp(server)
      const made = `dashboard_device=1.${"a".repeat(11)}.${"a".repeat(43)}`
      const guess = (cookie: string) =>
        send(server, "POST", "/api/auth/login", {
          headers: { "x-forwarded-for": "203.0.113.1", cookie },
          json: { email, password: "incorrect horse battery staple" }
        })
      for (let i = 0; i < 60; i++) expect(summary(yield* guess(made))).toStrictEqual(wrong)
      yield* withoutTable(
        server,
        "users",
        Effect.gen(function* () {
          for (const cookie of ["", made]) expectThrottled(yield* guess(cookie), 2)
          expect((yield* login(server, { email, from: "203.0.114.2" })).status).toBe(500)
        })
      )
    })
  )

  it.scoped("at most four sign-ins query the database at a time", () =>
    Effect.gen(function* () {
      const server = yield* behindProxy
      const { email } = yield* signUp(server)
      const holder = yield* connect(server.databaseUrl)
      const hold = (statement: string) => Effect.promise(() => holder.query(statement))
      const listened = yield* spied(() => vi.spyOn(EventTarget.prototype, "addEventListener"))
      yield* hold("begin; lock table companies in access exclusive mode")
      const guesses = yield* Effect.fork(
        Effect.forEach(
          Array.from({ length: 40 }, (_, i) => `198.51.${i}.1`),
          (from) => login(server, { email, from }),
          { concurrency: "unbounded" }
        )
      )
      yield* eventually("all but four wait for their turn", () => signalsOf(listened).length === 36)
      yield* hold("commit")
      for (const answer of yield* Fiber.join(guesses)) expect(summary(answer)).toStrictEqual(wrong)
    })
  )

  it.scoped("a sign-in that waits for the database does not delay other passwords", () =>
    Effect.gen(function* () {
      const server = yield* startServer({ DATABASE_POOL: "10" })
      const [held, other] = [yield* signUp(server), yield* signUp(server)]
      const holder = yield* connect(server.databaseUrl)
      const hold = (statement: string) => Effect.promise(() => holder.query(statement))
      yield* hold(`begin; select from audit_heads where company_id = '${held.companyId}' for update`)
      // As many as the number of concurrent hashes.
      const waiting = yield* Effect.fork(Effect.replicateEffect(login(server, held), 4, { concurrency: 4 }))
      const allWait = Effect.map(
        execute(
          server.databaseUrl,
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
        ),
        ({ length }) => length === 4
      )
      yield* eventually("they wait, with their passwords checked", allWait)
      expect((yield* login(server, other)).status).toBe(200)
      expect(yield* allWait, "they still wait").toBe(true)
      yield* hold("commit")
      yield* Fiber.join(waiting)
    })
  )

  it.scoped("what processes share and remember about attempts identifies nobody", () =>
    Effect.gen(function* () {
      const told: Array<string> = []
      const spends = { tell: (_: string, key: string) => void told.push(key), hear: () => {} }
      const server = yield* Effect.provideService(
        startServer({ TRUSTED_PROXIES: "127.0.0.1" }),
        BudgetChannel,
        spends
      )
      const { email } = yield* signUp(server)
      for (const from of ["203.0.113.1", "127.0.0.1"]) {
        expect(summary(yield* login(server, { email, from }))).toStrictEqual(wrong)
        expect(summary(yield* login(server, { email: "nobody@example.com", from }))).toStrictEqual(wrong)
      }
      expect(told.length).toBeGreaterThan(0)
      expect(told.filter((key) => key.includes("@") || key.includes("nobody"))).toStrictEqual([])
    })
  )
})
