import { Effect } from "effect"
import type { Actor } from "../../audit/model.ts"
import { Audit } from "../../audit/service.ts"
import { foundOr, idOr } from "../../shared/found.ts"
import { SubscriptionNotFound } from "./errors.ts"
import { SubscriptionRepo } from "./repo.ts"
import { MarketplaceKeyVerification } from "./verification.ts"

const notFound = () => new SubscriptionNotFound()

/** A company's subscriptions to published APIs (contract.md#subscribing). */
export class Subscriptions extends Effect.Service<Subscriptions>()("Subscriptions", {
  effect: Effect.gen(function* () {
    const repo = yield* SubscriptionRepo
    const audit = yield* Audit
    const verification = yield* MarketplaceKeyVerification

    /** Also fails with `SubscriptionNotFound` for another company's subscription. */
    const get = (companyId: string, id: string) =>
      idOr(id, notFound).pipe(
        Effect.flatMap((known) => repo.find(companyId, known)),
        foundOr(notFound)
      )

    /** Permanent. This process rejects its keys at once, other processes within a second. */
    const cancel = Effect.fnUntraced(function* (by: Actor, id: string) {
      const known = yield* idOr(id, notFound)
      yield* repo.cancel(by.companyId, known).pipe(
        foundOr(notFound),
        audit.recording(by, ({ api_id, api_name, was_active }) =>
          was_active
            ? [{ action: "subscription.cancelled", id: known, name: api_name, details: { api_id } }]
            : []
        )
      )
      yield* verification.forgetSubscription(known)
    })

    return {
      /** Newest first, including cancelled ones. */
      list: repo.list,
      get,
      cancel
    }
  })
}) {}
