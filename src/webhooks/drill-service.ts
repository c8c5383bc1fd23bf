import { Effect } from "effect"
import type { Actor } from "../audit/model.ts"
import { Audit } from "../audit/service.ts"
import { TooManyRequests } from "../limits/errors.ts"
import { sharedBudget } from "../limits/shared-budget.ts"
import { foundOr, idOr } from "../shared/found.ts"
import { WebhookEndpointNotFound } from "./errors.ts"
import { bodyOf, eventOf, messageOf } from "./message.ts"
import { type DrillReport, type DrillStep, eventIdOf, hostOf } from "./model.ts"
import { WebhookPosting } from "./posting.ts"
import { WebhookEndpointRepo } from "./repo.ts"
import { WebhookSecrets } from "./secrets.ts"
import { newSecret, secondsOf, signedHeaders, signWith } from "./signature.ts"

/** How old the old timestamp is, in seconds. Standard Webhooks' libraries accept five minutes. */
const tooOld = 3_600

/** Drills of a company, in a row and sustained: each sends five requests, to an address that the company need not own. */
const most = { burst: 20, perMinute: 10 }

const absent = () => new WebhookEndpointNotFound()

/** Tries what an endpoint accepts that it should refuse (contract.md#webhook-drill). */
export class WebhookDrill extends Effect.Service<WebhookDrill>()("WebhookDrill", {
  effect: Effect.gen(function* () {
    const repo = yield* WebhookEndpointRepo
    const secrets = yield* WebhookSecrets
    const posting = yield* WebhookPosting
    const audit = yield* Audit
    const budget = yield* sharedBudget("webhook drill, company", most.burst, most.perMinute)

    const spend = Effect.fnUntraced(function* (companyId: string) {
      const retryAfterSeconds = budget.spend(companyId)
      if (retryAfterSeconds > 0) return yield* new TooManyRequests({ retryAfterSeconds })
    })

    /**
     * Sends the good request, and once it has ended the others together. Fails with `WebhookEndpointNotFound`, and with `TooManyRequests`
     * after too many drills of the company.
     */
    const drill = Effect.fnUntraced(
      function* (by: Actor, endpointId: string) {
        const id = yield* idOr(endpointId, absent)
        const endpoint = yield* foundOr(absent)(repo.find(by.companyId, id)).pipe(
          Effect.zipLeft(spend(by.companyId)),
          audit.recording(by, ({ url }) => [{ action: "webhook_endpoint.drilled", id, name: hostOf(url) }])
        )
        const sealed = yield* repo.goodSecrets(id)
        const [newest] = sealed
        // The endpoint has been removed meanwhile.
        if (newest === undefined) return yield* absent()
        const sign = yield* secrets.signer(
          id,
          sealed.map((secret) => secret.sealed)
        )
        const stranger = signWith([newSecret(endpoint.signing)])
        const { now } = newest
        const seconds = secondsOf(now)
        const url = new URL(endpoint.url)
        const event = eventOf({
          event_id: eventIdOf(crypto.randomUUID()),
          event_type: "webhook.test",
          created_at: new Date(now),
          data: { id, url: "/api/webhook-endpoints" }
        })
        const body = bodyOf(event)
        const good = signedHeaders(sign, event.id, seconds, body)

        const send = (
          sent: DrillStep["sent"],
          expected: DrillStep["expected"],
          headers: Readonly<Record<string, string>>,
          content: string
        ): Effect.Effect<DrillStep> =>
          Effect.map(
            posting.post({
              endpointId: id,
              companyId: by.companyId,
              url,
              message: messageOf(url, headers, content)
            }),
            ({ milliseconds, reason, status }) => ({
              sent,
              expected,
              accepted: reason === null,
              milliseconds,
              status,
              reason
            })
          )

        const first = yield* send("good", "accepted", good, body)
        const rest = yield* Effect.all(
          [
            send("wrong_signature", "refused", signedHeaders(stranger, event.id, seconds, body), body),
            send("old_timestamp", "refused", signedHeaders(sign, event.id, seconds - tooOld, body), body),
            send("duplicate", "accepted", good, body),
            send("altered_body", "refused", good, body.replace("/api/", "/API/"))
          ],
          { concurrency: "unbounded" }
        )
        const steps = [first, ...rest]
        // A refusal is an answer: an endpoint that does not answer refuses nothing.
        const passed = steps.every(({ accepted, expected, status }) =>
          expected === "accepted" ? accepted : !accepted && status !== null
        )
        return { passed, steps } satisfies DrillReport
      },
      Effect.catchTag("SealBroken", Effect.die)
    )

    return { drill }
  })
}) {}
