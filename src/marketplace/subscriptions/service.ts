import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Actor } from "../../audit/model.ts"
import { Audit } from "../../audit/service.ts"
import { parseId } from "../../secrets/identifier.ts"
import { SubscriptionNotFound } from "./errors.ts"
import type { Subscription } from "./model.ts"
import { SubscriptionRepo } from "./repo.ts"
import { MarketplaceKeyVerification } from "./verification.ts"

/** A company's subscriptions to published APIs (contract.md#subscribing). */
export class Subscriptions extends Effect.Service<Subscriptions>()("Subscriptions", {
  effect: Effect.gen(function* () {
    const repo = yield* SubscriptionRepo
    const audit = yield* Audit
    const verification = yield* MarketplaceKeyVerification

    /** Newest first, cancelled ones too. */
    const list = (companyId: string): Effect.Effect<ReadonlyArray<Subscription>> => repo.list(companyId)

    /** Fails with `SubscriptionNotFound` for one of another company, too. */
    const get = (companyId: string, id: string): Effect.Effect<Subscription, SubscriptionNotFound> => {
      const known = parseId(id)
      if (known === undefined) return Effect.fail(new SubscriptionNotFound())
      return Effect.flatMap(
        repo.find(companyId, known),
        Option.match({ onNone: () => Effect.fail(new SubscriptionNotFound()), onSome: Effect.succeed })
      )
    }

    /**
     * Ends a subscription for good: its keys permit nothing any more, in this process at once, in every other
     * within a second. Cancelling again changes nothing.
     */
    const cancel = Effect.fnUntraced(function* (by: Actor, id: string) {
      const known = parseId(id)
      if (known === undefined) return yield* new SubscriptionNotFound()
      const found = yield* repo.cancel(by.companyId, known).pipe(
        audit.recording(
          by,
          Option.match({
            onNone: () => [],
            onSome: ({ api_id, api_name, was_active }) =>
              was_active
                ? [{ action: "subscription.cancelled", id: known, name: api_name, details: { api_id } }]
                : []
          })
        )
      )
      if (Option.isNone(found)) return yield* new SubscriptionNotFound()
      yield* verification.forgetSubscription(known)
    })

    return { list, get, cancel }
  })
}) {}
