import { Clock, Effect } from "effect"
import type { Actor } from "../audit/model.ts"
import { Audit } from "../audit/service.ts"
import { afterCommit } from "../db/sql.ts"
import { Events } from "../events/service.ts"
import { foundOr, idOr } from "../shared/found.ts"
import { WorkSignal } from "../work/signal-service.ts"
import { WebhookAnswers } from "./answers-service.ts"
import { DeliveryRepo, recoveredAtOnce } from "./deliveries-repo.ts"
import { DeliveryNotFound, SinceTooOld, WebhookEndpointDisabled, WebhookEndpointNotFound } from "./errors.ts"
import { eventOf } from "./message.ts"
import {
  allStatuses,
  type DeliveryDetails,
  type DeliveryStatus,
  hostOf,
  mostRecovered,
  type WebhookEndpoint,
  writeSequence
} from "./model.ts"
import { WebhookEndpointRepo } from "./repo.ts"

/** How long deliveries are stored, in milliseconds. */
const lifetime = 30 * 86_400_000

interface DeliveryQuery {
  readonly status?: DeliveryStatus | undefined
  /** Only deliveries with smaller numbers. */
  readonly before?: number | undefined
  readonly limit: number
}

const noEndpoint = () => new WebhookEndpointNotFound()
const noDelivery = () => new DeliveryNotFound()

/** What was sent to a company's webhook endpoints (contract.md#webhook-deliveries). */
export class WebhookDeliveries extends Effect.Service<WebhookDeliveries>()("WebhookDeliveries", {
  effect: Effect.gen(function* () {
    const repo = yield* DeliveryRepo
    const endpoints = yield* WebhookEndpointRepo
    const answers = yield* WebhookAnswers
    const events = yield* Events
    const audit = yield* Audit
    const { wake } = yield* WorkSignal

    const endpointOf = (companyId: string, endpointId: string) =>
      Effect.flatMap(idOr(endpointId, noEndpoint), (id) => foundOr(noEndpoint)(endpoints.find(companyId, id)))

    const enabled = (endpoint: WebhookEndpoint) =>
      endpoint.status === "enabled" ? Effect.succeed(endpoint) : new WebhookEndpointDisabled()

    /** Newest first. Fails with `WebhookEndpointNotFound`. */
    const list = Effect.fnUntraced(function* (
      companyId: string,
      endpointId: string,
      { before, limit, status }: DeliveryQuery
    ) {
      const { id } = yield* endpointOf(companyId, endpointId)
      const found = yield* repo.list({
        endpointId: id,
        statuses: status === undefined ? allStatuses : [status],
        before,
        limit: limit + 1
      })
      const page = found.slice(0, limit)
      const last = found.length > limit ? page.at(-1) : undefined
      return {
        deliveries: page,
        next_cursor: last === undefined ? null : writeSequence(last.sequence)
      }
    })

    /** Fails with `DeliveryNotFound`. */
    const get = Effect.fnUntraced(function* (companyId: string, deliveryId: string) {
      const id = yield* idOr(deliveryId, noDelivery)
      const { data, ...delivery } = yield* foundOr(noDelivery)(repo.find(companyId, id))
      const attempts = yield* repo.attempts(id, delivery.created_at)
      const opened = yield* answers.open(
        { companyId, deliveryId: id, eventType: delivery.event_type, data },
        attempts.map(({ answer }) => answer)
      )
      const tried = attempts.map((attempt, place) => ({ ...attempt, answer: opened[place] ?? null }))
      return { ...delivery, event: eventOf({ ...delivery, data }), tried }
    }) satisfies (companyId: string, deliveryId: string) => Effect.Effect<DeliveryDetails, DeliveryNotFound>

    /** Returns the delivery of a new `webhook.test` event. Fails with `WebhookEndpointNotFound` or `WebhookEndpointDisabled`. */
    const test = Effect.fnUntraced(function* (by: Actor, endpointId: string) {
      const endpoint = yield* Effect.flatMap(endpointOf(by.companyId, endpointId), enabled)
      const { id: eventId } = yield* endpoints
        .recordTest(by.companyId, endpoint.id)
        .pipe(
          audit.recording(by, () => [
            { action: "webhook_endpoint.tested", id: endpoint.id, name: hostOf(endpoint.url) }
          ])
        )
      yield* events.collectAll
      return yield* foundOr(noEndpoint)(repo.findByEvent(endpoint.id, eventId))
    })

    /** Fails with `DeliveryNotFound` or `WebhookEndpointDisabled`. */
    const retry = Effect.fnUntraced(function* (by: Actor, deliveryId: string) {
      const id = yield* idOr(deliveryId, noDelivery)
      const delivery = yield* foundOr(noDelivery)(repo.find(by.companyId, id))
      const endpoint = yield* endpointOf(by.companyId, delivery.endpoint_id).pipe(
        Effect.mapError(noDelivery),
        Effect.flatMap(enabled)
      )
      yield* repo.sendAgain(id, delivery.created_at).pipe(
        Effect.zipLeft(afterCommit(wake)),
        audit.recording(by, () => [
          {
            action: "webhook_delivery.retried",
            id,
            name: hostOf(endpoint.url),
            details: { endpoint_id: endpoint.id, event_id: delivery.event_id }
          }
        ])
      )
    })

    /** Returns how many are sent again. Fails with `SinceTooOld`, `WebhookEndpointNotFound` or `WebhookEndpointDisabled`. */
    const recover = Effect.fnUntraced(function* (by: Actor, endpointId: string, since: Date) {
      const now = yield* Clock.currentTimeMillis
      if (since.getTime() < now - lifetime || since.getTime() > now) return yield* new SinceTooOld()
      const endpoint = yield* Effect.flatMap(endpointOf(by.companyId, endpointId), enabled)
      // A statement that began while the endpoint was disabled may still be holding deliveries. This waits for it.
      yield* events.collect
      const { count } = yield* Effect.iterate(
        { count: 0, from: since, more: true },
        {
          while: ({ count, more }) => more && count < mostRecovered,
          body: ({ count, from }) =>
            Effect.map(repo.recover(endpoint.id, from, count), ({ found, last, sent }) => ({
              count: count + sent,
              from: last ?? from,
              more: found === recoveredAtOnce
            }))
        }
      ).pipe(
        Effect.zipLeft(afterCommit(wake)),
        audit.recording(by, ({ count }) =>
          count === 0
            ? []
            : [
                {
                  action: "webhook_endpoint.recovered",
                  id: endpoint.id,
                  name: hostOf(endpoint.url),
                  details: { since: since.toISOString(), deliveries: count }
                }
              ]
        )
      )
      return count
    })

    return { list, get, test, retry, recover, rollPartitions: repo.rollPartitions }
  })
}) {}
