import { expect } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { type MockInstance, vi } from "vitest"
import { connect } from "../../src/db/connection.ts"
import { BudgetChannel } from "../../src/limits/shared-budget.ts"
import { type Answer, send, signUp } from "../support/client.ts"
import { withoutDatabase, withoutTable } from "../support/database/outage.ts"
import { eventually } from "../support/eventually.ts"
import { type BehindProxy, behindProxy, ProxiedServer } from "../support/http/behind-proxy.ts"
import { open } from "../support/http/raw.ts"
import { execute } from "../support/postgres.ts"
import { type RunningServer, sharedServer, startServer } from "../support/server.ts"
import { heldHashes, spied } from "../support/spies.ts"
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

/** Expects this many failures at once, and then one every `refill` seconds. */
const expectBudget = (
  server: Pick<BehindProxy, "url" | "pass">,
  burst: number,
  refill: number,
  next: (i: number) => Try
) =>
  Effect.gen(function* () {
    let tried = 0
    const expectFailing = Effect.fnUntraced(function* (failures: number) {
      for (let i = 0; i < failures; i++) {
        expect(summary(yield* login(server, next(tried++)))).toStrictEqual(wrong)
      }
      for (let i = 0; i < 2; i++) expectThrottled(yield* login(server, next(tried++)), refill)
    })
    yield* expectFailing(burst)
    yield* server.pass(refill * 1_000 - 1)
    expectThrottled(yield* login(server, next(tried++)), 1)
    yield* server.pass(1)
    yield* expectFailing(1)
    yield* server.pass(3 * refill * 1_000)
    yield* expectFailing(3)
  })

suite(ProxiedServer.layer)("Sign-in: 429 after repeated failures (contract.md#sign-in)", (it) => {
  it.scoped("of one account from one address: 10, then one in 12 s", () =>
    Effect.gen(function* () {
      const server = yield* behindProxy
      const { email, password } = yield* signUp(server)
      yield* expectBudget(server, 10, 12, () => ({ email, from: "203.0.113.1" }))
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

  it.scoped("of an unknown email: the same", () =>
    Effect.gen(function* () {
      const server = yield* behindProxy
      yield* expectBudget(server, 10, 12, () => ({ email: "nobody@example.com", from: "203.0.113.1" }))
    })
  )

  it.scoped("of anything that is not an email address: one shared budget", () =>
    Effect.gen(function* () {
      const server = yield* behindProxy
      yield* expectBudget(server, 10, 12, (i) => ({ email: `nobody ${i}`, from: "203.0.113.1" }))
    })
  )

  it.scoped("of many accounts from one address: 50, then one in 3 s", () =>
    Effect.gen(function* () {
      const server = yield* behindProxy
      const from = "2001:db8::1"
      yield* expectBudget(server, 50, 3, (i) => ({ email: `user-${i}@example.com`, from }))
      const { email, password } = yield* signUp(server)
      expectThrottled(yield* login(server, { email, password, from }), 3)
      expect((yield* login(server, { email, password, from: "2001:db8:0:1::2" })).status).toBe(200)
    })
  )

  it.scoped("of one account from the addresses of one IPv6 subscriber: 10, then one in 12 s", () =>
    Effect.gen(function* () {
      const server = yield* behindProxy
      const { email, password } = yield* signUp(server)
      yield* expectBudget(server, 10, 12, (i) => ({ email, from: `2001:db8:1:2::${i}` }))
      expectThrottled(yield* login(server, { email, password, from: "2001:db8:1:2:3::1" }), 12)
    })
  )

  it.scoped(
    "150 addresses of as many networks cannot lock an account's owner out",
    () =>
      Effect.gen(function* () {
        const server = yield* behindProxy
        const { email, password } = yield* signUp(server)
        const tries = Array.from({ length: 150 }, (_, i) => ({ email, from: `198.51.${i}.1` }))
        const answers = yield* Effect.forEach(tries, (given) => login(server, given), { concurrency: 20 })
        for (const answer of answers) expect(summary(answer)).toStrictEqual(wrong)
        expect((yield* login(server, { email, password, from: "203.0.113.1" })).status).toBe(200)
      }),
    120_000
  )

  for (const [network, address] of [
    ["an IPv4 /24", (i: number) => `198.51.100.${i % 250}`],
    ["an IPv6 /48: 10 from each of 30 /64s", (i: number) => `2001:db8:1:${i % 30}::${i}`]
  ] as const) {
    it.scoped(
      `of one account from ${network}: 20, and the owner is let in from elsewhere`,
      () =>
        Effect.gen(function* () {
          const server = yield* behindProxy
          const { email, password } = yield* signUp(server)
          const tries = Array.from({ length: 300 }, (_, i) => ({ email, from: address(i) }))
          const answers = yield* Effect.forEach(tries, (given) => login(server, given), { concurrency: 20 })
          expect(answers.filter(({ status }) => status === 401)).toHaveLength(20)
          expect(answers.filter(({ status }) => status === 429)).toHaveLength(280)
          expect((yield* login(server, { email, password, from: "203.0.113.1" })).status).toBe(200)
        }),
      120_000
    )
  }

  for (const [what, address] of [
    ["networks of one IPv6 /40", (i: number) => `2001:db8:${(i % 256).toString(16)}:${i}::1`],
    ["the addresses of eight IPv4 /24s", (i: number) => `198.${i % 8}.0.${i % 250}`]
  ] as const) {
    it.scoped(
      `a new device gets in after five typing errors, whatever ${what} try`,
      () =>
        Effect.gen(function* () {
          const server = yield* behindProxy
          const { email, password } = yield* signUp(server)
          const tries = Array.from({ length: 600 }, (_, i) => ({ email, from: address(i) }))
          yield* Effect.forEach(tries, (given) => login(server, given), { concurrency: 20 })
          // A neighbour's failures do not count against the owner.
          for (let i = 0; i < 8; i++) yield* login(server, { email, from: "203.0.113.200" })
          const from = "203.0.113.1"
          for (let i = 0; i < 5; i++) {
            expect(summary(yield* login(server, { email, from }))).toStrictEqual(wrong)
          }
          expect((yield* login(server, { email, password, from })).status).toBe(200)
        }),
      120_000
    )
  }

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

  for (const [what, count, running] of [
    ["200 sign-ups that come together through a proxy that nobody has named", 200, sharedServer],
    ["60 sign-ups that come together from one address", 60, behindProxy]
  ] as const) {
    it.scoped(
      `${what} are all taken`,
      () =>
        Effect.gen(function* () {
          const server = yield* running
          const answers = yield* Effect.forEach(
            Array.from({ length: count }, () => `${crypto.randomUUID()}@example.com`),
            (email) =>
              send(server, "POST", "/api/auth/signup", {
                headers: { "x-forwarded-for": "203.0.113.1" },
                json: { companyName: "Acme", email, password: "correct horse battery staple" }
              }),
            { concurrency: "unbounded" }
          )
          expect(new Set(answers.map(({ status }) => status))).toStrictEqual(new Set([201]))
        }),
      120_000
    )
  }

  it.scoped("one address that keeps guessing cannot lock the account for everybody", () =>
    Effect.gen(function* () {
      const server = yield* behindProxy
      const { email, password } = yield* signUp(server)
      yield* Effect.forEach(
        Array.from({ length: 300 }),
        () => login(server, { email, from: "203.0.113.1" }),
        { concurrency: 20 }
      )
      expect((yield* login(server, { email, password, from: "203.0.113.2" })).status).toBe(200)
      // Nor is the address closed to its other users.
      const other = yield* signUp(server)
      expect(
        (yield* login(server, { email: other.email, password: other.password, from: "203.0.113.1" })).status
      ).toBe(200)
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

  it.scoped("a success does not use up the budget", () =>
    Effect.gen(function* () {
      const server = yield* behindProxy
      const { email, password } = yield* signUp(server)
      const once = login(server, { email, password, from: "203.0.113.1" })
      const answers = yield* Effect.replicateEffect(once, 60, { concurrency: 4 })
      expect(new Set(answers.map(({ status }) => status))).toStrictEqual(new Set([200]))
    })
  )

  it.scoped("loopback addresses are exempt from the limit per address", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const answers = yield* Effect.forEach(
        Array.from({ length: 60 }, (_, i) => ({ email: `user-${i}@example.com` })),
        (given) => login(server, given),
        { concurrency: 4 }
      )
      for (const answer of answers) expect(summary(answer)).toStrictEqual(wrong)
    })
  )

  it.scoped("without a trusted proxy, X-Forwarded-For gives no new budget", () =>
    Effect.gen(function* () {
      const { by, pass } = stoppedClock()
      const server = { ...(yield* by(startServer())), pass }
      yield* expectBudget(server, 60, 2, (i) => ({ email: "a@example.com", from: `203.0.113.${i}` }))
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

  it.scoped("at most four sign-ins query the database at a time", () =>
    Effect.gen(function* () {
      const server = yield* startServer({ TRUSTED_PROXIES: "127.0.0.1" })
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
      yield* eventually(
        "all but four wait for their turn",
        Effect.sync(() => signalsOf(listened).length === 36)
      )
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

  it.scoped("the password is not hashed if the client has disconnected before its turn", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const { hashes, release } = yield* heldHashes
      const listened = yield* spied(() => vi.spyOn(EventTarget.prototype, "addEventListener"))
      const wait = (what: string, condition: () => boolean) => eventually(what, Effect.sync(condition))

      const underWay = yield* Effect.fork(
        Effect.forEach([1, 2, 3, 4], (i) => login(server, { email: `under-way-${i}@example.com` }), {
          concurrency: "unbounded"
        })
      )
      yield* wait("four are hashed", () => hashes.mock.calls.length === 4)
      listened.mockClear()
      const json = JSON.stringify({ email: "gone@example.com", password: "incorrect horse battery staple" })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const connection = yield* open(server)
          connection.write(
            `POST /api/auth/login HTTP/1.1\r\nHost: doorlock.test\r\nContent-Length: ${json.length}\r\n\r\n${json}`
          )
          yield* wait("it waits", () => signalsOf(listened).length === 1)
        })
      )
      yield* wait("that it has gone is noticed", () => signalsOf(listened)[0]?.aborted === true)
      release()
      yield* Fiber.join(underWay)
      yield* login(server, { email: "next@example.com" })
      expect(hashes).toHaveBeenCalledTimes(5)
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
