/** Many at once, processes that die in the middle, answers that are lost. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, type Redacted } from "effect"
import type { Answer } from "../../support/client.ts"
import { atGate, gateIn } from "../../support/database/gate.ts"
import { freshDatabase } from "../../support/database.ts"
import { eventually } from "../../support/eventually.ts"
import { refusal, statusAndBody } from "../../support/kyc/partner.ts"
import { marketplaceOn, newSubscriber, subscriberOf } from "../../support/marketplace/subscriptions.ts"
import { runOn } from "../../support/program.ts"
import { startServer, startServerOn } from "../../support/server.ts"

const inProgress = refusal(409, "A request with this Idempotency-Key is in progress")
const alreadySubscribed = refusal(409, "Already subscribed to this API")

const made = `
  select (select count(*)::int from subscriptions) as subscriptions,
    (select count(*)::int from marketplace_keys) as keys,
    (select count(*)::int from idempotent_answers) as answers`

/** Blocks the creation of a key, within its transaction, until the test lets it continue. */
const gateKeys = (databaseUrl: Redacted.Redacted<string>) =>
  Effect.tap(
    gateIn(
      databaseUrl,
      `create function gate() returns trigger language plpgsql as $$
       begin
         ${atGate}
         return new;
       end $$;
       create trigger gate before insert on marketplace_keys for each row execute function gate()`
    ),
    ({ close }) => close
  )

describe("one Idempotency-Key", () => {
  it.scopedLive(
    "50 concurrent requests on two processes: one subscription, one key, all responses correct",
    () =>
      Effect.gen(function* () {
        const first = yield* startServer()
        const second = yield* startServerOn(first.databaseUrl)
        const mine = yield* marketplaceOn(first)
        const both = [mine, subscriberOf(second, mine.member)]
        const key = crypto.randomUUID()
        const ask = (i: number) => (both[i % 2] ?? mine).subscribe(mine.api, {}, key)
        const answers = yield* Effect.all(
          Array.from({ length: 50 }, (_, i) => ask(i)),
          { concurrency: "unbounded" }
        )
        const good = answers.filter(({ status }) => status === 201)
        const fresh = good.filter(({ headers }) => headers.get("idempotent-replayed") === null)
        expect(fresh.length).toBe(1)
        for (const answer of good) expect(answer.text).toBe(fresh[0]?.text)
        for (const answer of answers)
          if (answer.status !== 201) expect(statusAndBody(answer)).toStrictEqual(inProgress)
        expect(yield* mine.sql(made)).toStrictEqual([{ subscriptions: 1, keys: 1, answers: 1 }])

        for (let i = 0; i < 50; i++) {
          const again = yield* ask(i)
          expect([again.status, again.text]).toStrictEqual([201, fresh[0]?.text])
          expect(again.headers.get("idempotent-replayed")).toBe("true")
        }
        expect(yield* mine.sql(made)).toStrictEqual([{ subscriptions: 1, keys: 1, answers: 1 }])
      })
  )

  it.scopedLive(
    "409 A request with this Idempotency-Key is in progress, until the first one ends; then its response",
    () =>
      Effect.gen(function* () {
        const server = yield* startServer()
        const { api, sql, subscribe } = yield* marketplaceOn(server)
        const stranger = yield* newSubscriber(server)
        const gate = yield* gateKeys(server.databaseUrl)
        const key = crypto.randomUUID()
        const first = yield* Effect.fork(subscribe(api, {}, key))
        yield* gate.oneWaits
        const [same, other] = [yield* subscribe(api, {}, key), yield* subscribe(api, { name: "x" }, key)]
        // The first request is not known yet, but the Idempotency-Key is the same.
        for (const answer of [same, other]) expect(statusAndBody(answer)).toStrictEqual(inProgress)
        expect(same.headers.get("idempotent-replayed")).toBeNull()
        // The same value from another company is another key, which waits for nothing but the gate.
        const theirs = yield* Effect.fork(stranger.subscribe(api, {}, key))
        yield* gate.open
        expect((yield* Fiber.join(theirs)).status).toBe(201)
        const answer = yield* Fiber.join(first)
        const again = yield* subscribe(api, {}, key)
        expect([answer.status, again.status, again.text]).toStrictEqual([201, 201, answer.text])
        expect(yield* sql(made)).toStrictEqual([{ subscriptions: 2, keys: 2, answers: 2 }])
      })
  )
})

describe("two Idempotency-Keys", () => {
  it.scopedLive("30 concurrent subscribes to one API: one 201, the others 409 Already subscribed", () =>
    Effect.gen(function* () {
      const { api, sql, subscribe } = yield* marketplaceOn(yield* startServer())
      const answers = yield* Effect.replicateEffect(
        Effect.suspend(() => subscribe(api)),
        30,
        { concurrency: "unbounded" }
      )
      const isGood = ({ status }: Answer) => status === 201
      expect(answers.filter(isGood).length).toBe(1)
      for (const answer of answers)
        if (!isGood(answer)) expect(statusAndBody(answer)).toStrictEqual(alreadySubscribed)
      expect(yield* sql(made)).toStrictEqual([{ subscriptions: 1, keys: 1, answers: 1 }])
    })
  )
})

describe("a process that dies", () => {
  it.scopedLive("during a subscribe: nothing is half-written, and the retry is not blocked", () =>
    Effect.gen(function* () {
      const databaseUrl = yield* freshDatabase
      const survivor = yield* startServerOn(databaseUrl)
      const mine = yield* marketplaceOn(survivor)
      const program = yield* runOn(databaseUrl, { SEED_DEMO: "false" })
      const gate = yield* gateKeys(databaseUrl)
      const key = crypto.randomUUID()
      const lost = yield* Effect.fork(
        Effect.exit(subscriberOf(program, mine.member).subscribe(mine.api, {}, key))
      )
      yield* gate.oneWaits
      program.signal("SIGKILL")
      yield* program.exited
      expect((yield* Fiber.join(lost))._tag).toBe("Failure")
      expect(yield* mine.sql(made)).toStrictEqual([{ subscriptions: 0, keys: 0, answers: 0 }])

      // The statement of the dead process ends, and with its connection the transaction, its locks and all.
      yield* gate.open
      let answer = yield* mine.subscribe(mine.api, {}, key)
      yield* eventually(
        "the retry succeeds",
        Effect.suspend(() => {
          if (answer.status === 201) return Effect.succeed(true)
          expect(statusAndBody(answer)).toStrictEqual(inProgress)
          return Effect.map(mine.subscribe(mine.api, {}, key), (next) => {
            answer = next
            return next.status === 201
          })
        })
      )
      expect(answer.headers.get("idempotent-replayed")).toBeNull()
      expect(yield* mine.sql(made)).toStrictEqual([{ subscriptions: 1, keys: 1, answers: 1 }])
    })
  )
})

describe("SECRET_KEY", () => {
  it.scopedLive(
    "changed within the 24 hours: 500 Failed to subscribe, and never a token that does not work",
    () =>
      Effect.gen(function* () {
        const server = yield* startServer()
        const mine = yield* marketplaceOn(server)
        const key = crypto.randomUUID()
        const first = yield* mine.subscribe(mine.api, {}, key)
        const changed = yield* startServerOn(server.databaseUrl, {
          SECRET_KEY: "another secret key, of 32 bytes at least"
        })
        const answer = yield* subscriberOf(changed, mine.member).subscribe(mine.api, {}, key)
        expect(statusAndBody(answer)).toStrictEqual(refusal(500, "Failed to subscribe"))
        expect((yield* mine.subscribe(mine.api, {}, key)).text).toBe(first.text)
      })
  )
})
