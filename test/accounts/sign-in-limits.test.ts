import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { BudgetChannel } from "../../src/limits/shared-budget.ts"
import { type Answer, send, signUp } from "../support/client.ts"
import { withoutTable } from "../support/database/outage.ts"
import { behindProxy, ProxiedServer } from "../support/http/behind-proxy.ts"
import { type RunningServer, startServer } from "../support/server.ts"
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
  it.scoped("of one account from one address: 10, then one in 12 s", () =>
    Effect.gen(function* () {
      const server = yield* behindProxy
      const { email, password } = yield* signUp(server)
      const guess = () => ({ email, from: "203.0.113.1" })
      yield* expectFailures(server, 10, 12, guess)
      yield* server.pass(11_999)
      expectThrottled(yield* login(server, guess()), 1)
      yield* server.pass(1)
      yield* expectFailures(server, 1, 12, guess)
      // Not even the right password is checked. The account stays open from other addresses, and the address for other
      // accounts.
      expectThrottled(yield* login(server, { email, password, from: "203.0.113.1" }), 12)
      expectThrottled(yield* login(server, { email: ` ${email.toUpperCase()}`, from: "203.0.113.1" }), 12)
      expect((yield* login(server, { email, password, from: "203.0.113.2" })).status).toBe(200)
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
        const from = "203.0.113.1"
        yield* expectFailures(server, 10, 12, () => ({ email: "nobody@example.com", from }))
        yield* expectFailures(server, 10, 12, (i) => ({ email: `nobody ${i}`, from }))
      })
  )

  it.scoped("concurrent attempts count like consecutive ones", () =>
    Effect.gen(function* () {
      const server = yield* behindProxy
      const { email } = yield* signUp(server)
      const answers = yield* Effect.all(
        Array.from({ length: 40 }, () => login(server, { email, from: "203.0.113.1" })),
        { concurrency: "unbounded" }
      )
      const failures = answers.filter(({ status }) => status === 401)
      for (const answer of failures) expect(summary(answer)).toStrictEqual(wrong)
      for (const answer of answers.filter((one) => !failures.includes(one))) expectThrottled(answer, 12)
      expect(failures).toHaveLength(10)
    })
  )

  it.scoped("without a trusted proxy, X-Forwarded-For gives no new budget", () =>
    Effect.gen(function* () {
      const server = yield* stoppedClock().by(startServer())
      yield* expectFailures(server, 60, 2, (i) => ({ email: "a@example.com", from: `203.0.113.${i}` }))
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
      for (let i = 0; i < 10; i++) expect(summary(yield* guess(made))).toStrictEqual(wrong)
      yield* withoutTable(
        server,
        "users",
        Effect.gen(function* () {
          for (const cookie of ["", made]) expectThrottled(yield* guess(cookie), 12)
          expect((yield* login(server, { email, from: "203.0.113.2" })).status).toBe(500)
        })
      )
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
