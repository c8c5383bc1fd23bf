import { Effect } from "effect"
import type { Actor } from "../audit/model.ts"
import { Audit } from "../audit/service.ts"
import { Config } from "../config.ts"
import type { EventType } from "../events/types-model.ts"
import { foundOr, idOr } from "../shared/found.ts"
import { newId } from "../shared/identifier.ts"
import { isLoopback } from "../shared/ip-address.ts"
import { TooManyWebhookEndpoints, WebhookEndpointNotFound, WebhookUrlRefused } from "./errors.ts"
import { hostOf } from "./model.ts"
import { WebhookPosting } from "./posting.ts"
import { type EndpointChange, firstSealed, resealedAtOnce, WebhookEndpointRepo } from "./repo.ts"
import { WebhookSecrets } from "./secrets.ts"
import type { Scheme } from "./signature.ts"

interface EndpointRequest {
  /** Canonical, as `webhookUrl` returns it. */
  readonly url: string
  readonly description?: string | null | undefined
  /** Default: all. */
  readonly eventTypes?: ReadonlyArray<EventType> | null | undefined
  /** Default: v1. */
  readonly signing?: Scheme | undefined
}

/** In seconds. */
const usualOverlap = 86_400

const absent = () => new WebhookEndpointNotFound()

/** A company's webhook endpoints (contract.md#webhook-endpoints). */
export class WebhookEndpoints extends Effect.Service<WebhookEndpoints>()("WebhookEndpoints", {
  effect: Effect.gen(function* () {
    const repo = yield* WebhookEndpointRepo
    const secrets = yield* WebhookSecrets
    const posting = yield* WebhookPosting
    const audit = yield* Audit
    const { allowPrivateUpstreams } = yield* Config

    const isOfThisMachine = ({ hostname }: URL) =>
      hostname === "localhost" || isLoopback(hostname.replace(/^\[(.*)\]$/, "$1"))

    /** Checks again what every connection checks, so that a mistake is found early. */
    const checkUrl = Effect.fnUntraced(function* (text: string) {
      const url = new URL(text)
      if (url.protocol === "http:" && !(allowPrivateUpstreams && isOfThisMachine(url))) {
        return yield* new WebhookUrlRefused({ rule: "scheme" })
      }
      const rule = yield* posting.objection(url)
      if (rule !== undefined) return yield* new WebhookUrlRefused({ rule })
    })

    /** `secret` is shown only here; `v1a` has none. Fails with `WebhookUrlRefused` or `TooManyWebhookEndpoints`. */
    const create = Effect.fnUntraced(function* (by: Actor, request: EndpointRequest) {
      yield* checkUrl(request.url)
      const id = newId()
      const { signing = "v1" } = request
      const { publicKey, secret, stored } = secrets.make(id, signing)
      const endpoint = yield* repo
        .insert({
          id,
          companyId: by.companyId,
          url: request.url,
          description: request.description ?? null,
          eventTypes: request.eventTypes ?? null,
          signing,
          publicKey,
          secret: stored
        })
        .pipe(
          foundOr(() => new TooManyWebhookEndpoints()),
          // A statement that waited for the lock would still count what was there when it began.
          (adding) => Effect.zipRight(repo.lockRoom(by.companyId), adding),
          audit.recording(by, ({ event_types, url }) => [
            {
              action: "webhook_endpoint.created",
              id,
              name: hostOf(url),
              details: { signing, event_types }
            }
          ])
        )
      return { endpoint, ...(secret === undefined ? {} : { secret }) }
    })

    /** Fails with `WebhookEndpointNotFound` or `WebhookUrlRefused`. */
    const change = Effect.fnUntraced(function* (by: Actor, endpointId: string, fields: EndpointChange) {
      if (fields.url !== undefined) yield* checkUrl(fields.url)
      const id = yield* idOr(endpointId, absent)
      const {
        changed: _,
        was_enabled: __,
        ...endpoint
      } = yield* repo.change(by.companyId, id, fields).pipe(
        foundOr(absent),
        audit.recording(by, ({ changed, event_types, status, url, was_enabled }) => [
          ...(changed
            ? [
                {
                  action: "webhook_endpoint.changed" as const,
                  id,
                  name: hostOf(url),
                  details: { event_types }
                }
              ]
            : []),
          ...(was_enabled === (status === "enabled")
            ? []
            : [{ action: `webhook_endpoint.${status}` as const, id, name: hostOf(url) }])
        ])
      )
      return endpoint
    })

    /** What waits for the endpoint is never sent. Fails with `WebhookEndpointNotFound`. */
    const remove = Effect.fnUntraced(function* (by: Actor, endpointId: string) {
      const id = yield* idOr(endpointId, absent)
      yield* repo.remove(by.companyId, id).pipe(
        foundOr(absent),
        audit.recording(by, ({ url }) => [{ action: "webhook_endpoint.removed", id, name: hostOf(url) }])
      )
    })

    /** Returns the secret of `v1`, or the public key of `v1a`. Fails with `WebhookEndpointNotFound`. */
    const rotate = Effect.fnUntraced(function* (
      by: Actor,
      endpointId: string,
      overlapSeconds: number = usualOverlap
    ) {
      const id = yield* idOr(endpointId, absent)
      return yield* repo.lock(by.companyId, id).pipe(
        foundOr(absent),
        Effect.flatMap(({ signing, url }) => {
          const { publicKey, secret, stored } = secrets.make(id, signing)
          const told = {
            ...(secret === undefined ? {} : { secret }),
            ...(publicKey === null ? {} : { public_key: publicKey })
          }
          return Effect.as(repo.addSecret(id, stored, publicKey, overlapSeconds), { told, url })
        }),
        audit.recording(by, ({ url }) => [
          {
            action: "webhook_endpoint.secret_rotated",
            id,
            name: hostOf(url),
            details: { overlap_seconds: overlapSeconds }
          }
        ]),
        Effect.map(({ told }) => told)
      )
    })

    /** Seals the next secrets with the present SECRET_KEY. Undefined after the last, else what follows. */
    const resealSome = Effect.fnUntraced(function* (after: typeof firstSealed) {
      const found = yield* repo.sealedOtherwise(secrets.sealedBy, after)
      yield* Effect.forEach(
        found,
        ({ endpoint_id, id, sealed }) =>
          Effect.flatMap(secrets.resealed(id, endpoint_id, sealed), repo.reseal).pipe(
            Effect.catchAll(() =>
              Effect.logWarning("A webhook secret cannot be opened: SECRET_KEY has changed").pipe(
                Effect.annotateLogs({ endpoint: endpoint_id })
              )
            )
          ),
        { discard: true }
      )
      const last = found.at(-1)
      return last === undefined || found.length < resealedAtOnce
        ? undefined
        : { sealedBy: last.sealed_by, id: last.id }
    })

    /** Seals with the present SECRET_KEY all that the previous one sealed, and deletes what nobody can see any more. */
    const tidy = Effect.iterate(firstSealed as typeof firstSealed | undefined, {
      while: (after) => after !== undefined,
      body: resealSome
    }).pipe(Effect.zipRight(repo.tidy))

    return { list: repo.list, create, change, remove, rotate, tidy }
  })
}) {}
