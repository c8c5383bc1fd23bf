/** Deliveries while the clock of the host is wrong: what they say and when they are due counts by the database's clock. */
import { expect, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { Webhook } from "standardwebhooks"
import { Events } from "../../src/events/service.ts"
import { text } from "../support/client.ts"
import { execute } from "../support/postgres.ts"
import { startServer } from "../support/server.ts"
import { stoppedClock } from "../support/stopped-clock.ts"
import { hooked, startReceiver, WebhookServer } from "../support/webhooks/receiver.ts"

const hour = 3_600_000

it.scopedLive(
  "an hour ahead or back, what is sent verifies at a receiver whose clock is right, and retries keep to the schedule",
  () =>
    Effect.gen(function* () {
      const { by, set } = stoppedClock()
      const server = yield* by(startServer({ GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true" }))
      const { add, ask, attemptDue, happen, makeDue } = yield* Effect.provideService(
        hooked,
        WebhookServer,
        server
      )
      const receiver = yield* startReceiver
      const { body, id, path } = yield* add(receiver.url)
      const webhook = new Webhook(text(body, "secret"))
      // In this order, because the clock of durations never goes back.
      for (const offset of [-hour, hour]) {
        receiver.received.splice(0)
        receiver.answer = () => new Response(null, { status: 500 })
        yield* set(Date.now() + offset)
        yield* happen
        yield* by(Context.get(server.services, Events).collect)
        yield* attemptDue
        const [stored] = yield* execute(
          server.databaseUrl,
          `select d.next_attempt_at = j.due::timestamptz(3) as same,
             d.next_attempt_at - a.at - a.milliseconds * interval '1 millisecond' between interval '4 seconds' and interval '6 seconds' as is_first
           from webhook_deliveries d join work_jobs j on j.payload ->> 'id' = d.id::text join webhook_attempts a on a.delivery_id = d.id
           where d.endpoint_id = $1 and d.status = 'pending'`,
          [id]
        )
        // The first delay: five seconds, and up to 20 percent more or less.
        expect(stored, `with the clock off by ${offset}`).toStrictEqual({ same: true, is_first: true })
        receiver.answer = () => new Response(null, { status: 204 })
        yield* makeDue
        yield* attemptDue
        yield* ask("POST", `${path}/drill`)
        expect(receiver.received).toHaveLength(7)
        // Two attempts and the good request of the drill.
        for (const { body, headers } of receiver.received.slice(0, 3)) {
          expect(webhook.verify(body, { ...headers })).toHaveProperty("type")
        }
      }
    })
)
