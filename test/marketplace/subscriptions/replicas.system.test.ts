/** A process learns by itself how another one has changed a key. */
import { describe, expect } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { MarketplaceKeyVerification } from "../../../src/marketplace/subscriptions/verification.ts"
import { freshDatabase } from "../../support/database.ts"
import { eventually } from "../../support/eventually.ts"
import { type Subscriber, subscribed, subscription } from "../../support/marketplace/subscriptions.ts"
import { execute } from "../../support/postgres.ts"
import { startServerOn } from "../../support/server.ts"
import { suite } from "../../support/suite.ts"

const listeners =
  "select pid from pg_stat_activity where query = 'listen doorlock_changes' and datname = current_database()"

/** Two processes, as it were, on one database. */
const start = Effect.gen(function* () {
  const databaseUrl = yield* freshDatabase
  const first = yield* startServerOn(databaseUrl)
  const second = yield* startServerOn(databaseUrl)
  return { databaseUrl, first, second }
})

class Both extends Context.Tag("Both")<Both, Effect.Effect.Success<typeof start>>() {
  static readonly layer = Layer.scoped(Both, Effect.orDie(start))
}

/** A subscription made by the first process, and what the second makes of a token. */
const replicas = Effect.gen(function* () {
  const { databaseUrl, first, second } = yield* Both
  const verification = Context.get(second.services, MarketplaceKeyVerification)
  yield* eventually(
    "both listen",
    Effect.map(execute(databaseUrl, listeners), ({ length }) => length === 2)
  )
  const given = yield* subscription(first)
  const state = (token: string) =>
    Effect.suspend(() => {
      const remembered = verification.remembered(token)
      return remembered === undefined ? verification.lookUp(token) : Effect.succeed(remembered)
    }).pipe(
      Effect.map(({ subscriptionActive }) => (subscriptionActive ? "good" : "cancelled")),
      Effect.catchTag("InvalidMarketplaceKey", () => Effect.succeed("refused"))
    )
  return { ...given, databaseUrl, verification, state }
})
type Replicas = Effect.Effect.Success<typeof replicas>

/** Makes the second process remember the key. */
const warm = ({ state, verification }: Replicas, token: string) =>
  eventually(
    "the key is remembered",
    Effect.map(state(token), () => verification.remembered(token) !== undefined)
  )

const becomesKnown = ({ state }: Replicas, token: string, expected: string) =>
  Effect.gen(function* () {
    yield* eventually(
      `the other process knows that it is ${expected}`,
      Effect.map(state(token), (found) => found === expected)
    )
    for (let i = 0; i < 5; i++) expect(yield* state(token)).toBe(expected)
  })

const changes: ReadonlyArray<
  readonly [
    what: string,
    expected: string,
    change: (
      subscriber: Subscriber,
      ids: { readonly id: string; readonly keyId: string }
    ) => Effect.Effect<unknown>
  ]
> = [
  ["revoked", "refused", ({ revoke }, { keyId }) => revoke(keyId)],
  ["rotated without grace", "refused", ({ rotate }, { keyId }) => rotate(keyId, { graceSeconds: 0 })],
  [
    "rotated with a second of grace",
    "refused",
    ({ rotate }, { keyId }) => rotate(keyId, { graceSeconds: 1 })
  ],
  ["cancelled with its subscription", "cancelled", ({ cancel }, { id }) => cancel(id)]
]

suite(Both.layer)((it) => {
  for (const [what, expected, change] of changes) {
    describe(`a key that is ${what}`, () => {
      it.scoped("is soon refused by another process", () =>
        Effect.gen(function* () {
          const both = yield* replicas
          let ids: { readonly id: string; readonly keyId: string; readonly token: string } = both
          for (let round = 0; round < 2; round++) {
            yield* warm(both, ids.token)
            yield* change(both, ids)
            yield* becomesKnown(both, ids.token, expected)
            yield* both.cancel(ids.id)
            ids = subscribed(yield* both.subscribe(both.api))
          }
        })
      )

      it.scoped("is refused there if it changes during its first lookup", () =>
        Effect.gen(function* () {
          const both = yield* replicas
          let last = both.id
          for (let round = 0; round < 4; round++) {
            yield* both.cancel(last)
            const ids = subscribed(yield* both.subscribe(both.api))
            yield* Effect.all(
              [change(both, ids), ...Array.from({ length: 8 }, () => both.state(ids.token))],
              {
                concurrency: "unbounded",
                discard: true
              }
            )
            yield* becomesKnown(both, ids.token, expected)
            last = ids.id
          }
        })
      )
    })
  }
})
