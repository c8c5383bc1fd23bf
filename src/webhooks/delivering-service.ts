import { Effect, Exit, Option, Random } from "effect"
import { operator } from "../audit/model.ts"
import { Audit } from "../audit/service.ts"
import { failsAgain } from "../db/sql.ts"
import { webhookAttempts } from "../observability/metrics.ts"
import { type Outcome, type Ran, type Settled, workKind } from "../work/model.ts"
import { WebhookAnswers } from "./answers-service.ts"
import { type Attempt, type Attempted, Round } from "./attempt-model.ts"
import { AttemptRepo, type DueDelivery } from "./attempts-repo.ts"
import { attemptJobs } from "./fan-out-repo.ts"
import { bodyOf, eventOf, messageOf, sequenceHeaders } from "./message.ts"
import { hostOf } from "./model.ts"
import { WebhookPosting } from "./posting.ts"
import { nextDelay } from "./schedule-model.ts"
import { WebhookSecrets } from "./secrets.ts"
import { secondsOf, signedHeaders } from "./signature.ts"

/**
 * How many deliveries to one endpoint are under way at once. Those of a recovery have their own, so that new events do not wait behind it,
 * however slowly the endpoint answers.
 */
const perEndpoint = { delivery: 6, recovery: 2 } as const

/** Milliseconds until a delivery that failed because of doorlock is tried again. That is no attempt. */
const ownDelay = 5_000

/** What a job leaves to be written. */
type Result =
  | { readonly kind: "attempted"; readonly attempt: Attempted }
  | { readonly kind: "held"; readonly round: Round }
  | { readonly kind: "nothing" }

/** The actor in the audit trail when doorlock itself disables an endpoint. */
const ownName = "doorlock"

const done: Outcome = { kind: "done" }
const nothing: Result = { kind: "nothing" }

/** HTTP's status for a resource that will not come back. */
const gone = 410

/** Attempts deliveries (contract.md#webhook-delivery). */
export class WebhookDelivering extends Effect.Service<WebhookDelivering>()("WebhookDelivering", {
  effect: Effect.gen(function* () {
    const repo = yield* AttemptRepo
    const secrets = yield* WebhookSecrets
    const posting = yield* WebhookPosting
    const answers = yield* WebhookAnswers
    const audit = yield* Audit

    const unsigned: Attempt = {
      milliseconds: 0,
      status: null,
      reason: "The signing secret cannot be opened, because SECRET_KEY has changed. Rotate the secret.",
      answer: null,
      retryAfter: undefined,
      isOurs: false
    }

    /** Signs with the present time, by the database's clock as the event's time: receivers refuse what a wrong clock has signed. */
    const post = (due: DueDelivery): Effect.Effect<Attempt> =>
      Effect.gen(function* () {
        const sign = yield* secrets.signer(due.endpoint_id, due.secrets)
        const event = eventOf(due)
        const body = bodyOf(event)
        const seconds = secondsOf(due.now)
        const url = new URL(due.url)
        const headers = {
          ...signedHeaders(sign, event.id, seconds, body),
          ...sequenceHeaders(sign, event.id, seconds, due.sequence)
        }
        return yield* posting.post({
          endpointId: due.endpoint_id,
          companyId: due.company_id,
          url,
          message: messageOf(url, headers, body)
        })
      }).pipe(Effect.catchTag("SealBroken", () => Effect.succeed(unsigned)))

    const later: Ran<Result> = { outcome: { kind: "again", after: ownDelay }, result: nothing }

    const attempt = Effect.fnUntraced(function* (
      round: Round,
      due: DueDelivery
    ): Effect.fn.Return<Ran<Result>> {
      const { isOurs, retryAfter, ...answered } = yield* post(due)
      if (isOurs) return later
      const answer = yield* answers.seal(
        { companyId: due.company_id, deliveryId: round.id, eventType: due.event_type, data: due.data },
        answered.answer
      )
      const outcome =
        answered.reason === null ? "succeeded" : answered.status === null ? "unanswered" : "refused"
      webhookAttempts[outcome].add()
      const nextAfter =
        answered.reason === null
          ? undefined
          : nextDelay({
              tries: due.tries + 1,
              retryAfter,
              now: due.now + answered.milliseconds,
              random: yield* Random.next
            })
      return {
        outcome: nextAfter === undefined ? done : { kind: "again", after: nextAfter },
        result: {
          kind: "attempted",
          attempt: {
            ...round,
            ...answered,
            answer,
            endpointId: due.endpoint_id,
            url: due.url,
            nextAfter: nextAfter ?? null,
            gone: answered.status === gone
          }
        }
      }
    })

    /** Ends a job whose delivery has ended, and holds the delivery of a disabled endpoint. */
    const run = Effect.fnUntraced(function* (
      round: Round,
      ahead: Option.Option<DueDelivery> | undefined
    ): Effect.fn.Return<Ran<Result>> {
      const read = ahead === undefined ? yield* Effect.exit(repo.due(round)) : Exit.succeed(ahead)
      if (Exit.isFailure(read)) {
        if (failsAgain(read.cause)) return yield* Effect.failCause(read.cause)
        // Without the database nothing can be sent, but the delivery is not at fault.
        yield* Effect.logDebug("A delivery could not be read", read.cause)
        return later
      }
      if (Option.isNone(read.value)) return { outcome: done, result: nothing }
      const due = read.value.value
      return due.enabled ? yield* attempt(round, due) : { outcome: done, result: { kind: "held", round } }
    })

    const settle = Effect.fnUntraced(function* (settled: ReadonlyArray<Settled<Round, Result>>) {
      const results = settled.flatMap(({ result }) => (result === undefined ? [] : [result]))
      const attempted = results.flatMap((result) => (result.kind === "attempted" ? [result.attempt] : []))
      const held = results.flatMap((result) => (result.kind === "held" ? [result.round] : []))
      if (held.length > 0) yield* repo.hold(held)
      if (attempted.length === 0) return
      for (const { company_id, disabled_reason, id, url } of yield* repo.settle(attempted)) {
        yield* audit.append(operator(company_id, ownName), {
          action: "webhook_endpoint.disabled",
          id,
          name: hostOf(url),
          details: { reason: disabled_reason }
        })
      }
    })

    return { readAhead: repo.dueOf, run, settle }
  })
}) {}

/** A job is one round of a delivery, and a lane is an endpoint. */
const attemptsOf = (which: keyof typeof attemptJobs) =>
  workKind({
    name: attemptJobs[which],
    payload: Round,
    perLane: perEndpoint[which],
    readAhead: (payloads) => Effect.flatMap(WebhookDelivering, ({ readAhead }) => readAhead(payloads)),
    run: ({ ahead, payload }) => Effect.flatMap(WebhookDelivering, ({ run }) => run(payload, ahead)),
    settle: (settled) => Effect.flatMap(WebhookDelivering, ({ settle }) => settle(settled))
  })

export const attemptWork = [attemptsOf("delivery"), attemptsOf("recovery")] as const
