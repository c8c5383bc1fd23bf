/** The drill: what a receiver accepts that it should refuse. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { Webhook } from "standardwebhooks"
import { field } from "../support/client.ts"
import { refusal, statusAndBody } from "../support/kyc/partner.ts"
import { startServer } from "../support/server.ts"
import { stoppedClock } from "../support/stopped-clock.ts"
import { suite } from "../support/suite.ts"
import { hooked, type Received, startReceiver, WebhookServer } from "../support/webhooks/receiver.ts"

/** Drills an endpoint that answers so. */
const drilled = (answerOf: (secret: string) => (request: Received) => Response) =>
  Effect.gen(function* () {
    const { add, ask } = yield* hooked
    const receiver = yield* startReceiver
    const { body, path } = yield* add(receiver.url)
    receiver.answer = answerOf(String(field(body, "secret")))
    const answer = statusAndBody(yield* ask("POST", `${path}/drill`))
    const deliveries = yield* ask("GET", `${path}/deliveries`)
    return { answer, receiver, deliveries: field(deliveries.body, "deliveries") }
  })

/** A receiver as the specification wants it, in three lines. */
const careful = (secret: string) => {
  const webhook = new Webhook(secret)
  return ({ body, headers }: Received) => {
    try {
      webhook.verify(body, { ...headers })
      return new Response(null, { status: 204 })
    } catch (error) {
      return new Response(String(error), { status: 401 })
    }
  }
}

const step = (sent: string, expected: "accepted" | "refused", accepted: boolean, status: number) => ({
  sent,
  expected,
  accepted,
  milliseconds: expect.any(Number),
  status,
  reason: accepted ? null : `The endpoint answered ${status}.`
})

suite(WebhookServer.layer)("A drill (contract.md#webhook-drill)", (it) => {
  it.scoped("is passed by a receiver that verifies with the standardwebhooks package", () =>
    Effect.gen(function* () {
      const { answer, deliveries, receiver } = yield* drilled(careful)
      expect(answer).toStrictEqual({
        status: 200,
        body: {
          report: {
            passed: true,
            steps: [
              step("good", "accepted", true, 204),
              step("wrong_signature", "refused", false, 401),
              step("old_timestamp", "refused", false, 401),
              step("duplicate", "accepted", true, 204),
              step("altered_body", "refused", false, 401)
            ]
          }
        }
      })
      expect(receiver.received).toHaveLength(5)
      expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1)
      expect(receiver.received.some(({ headers }) => "doorlock-sequence" in headers)).toBe(false)
      expect(deliveries).toStrictEqual([])
    })
  )

  it.scoped("is failed by a receiver that accepts everything", () =>
    Effect.gen(function* () {
      const { answer } = yield* drilled(() => () => new Response(null, { status: 200 }))
      expect(field(answer.body, "report", "passed")).toBe(false)
      expect(field(answer.body, "report", "steps")).toMatchObject([
        { sent: "good", accepted: true },
        { sent: "wrong_signature", accepted: true, expected: "refused" },
        { sent: "old_timestamp", accepted: true, expected: "refused" },
        { sent: "duplicate", accepted: true },
        { sent: "altered_body", accepted: true, expected: "refused" }
      ])
    })
  )

  it.scoped("is refused after twenty drills of a company, and then sends nothing", () =>
    Effect.gen(function* () {
      // In which no budget grows.
      const server = yield* stoppedClock().by(startServer({ GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true" }))
      const onServer = Effect.provideService(hooked, WebhookServer, server)
      const { add, ask } = yield* onServer
      const receiver = yield* startReceiver
      const paths = [yield* add(receiver.url), yield* add(receiver.url)].map(({ path }) => `${path}/drill`)
      for (const path of paths) {
        const answers = yield* Effect.replicateEffect(ask("POST", path), 10)
        expect(answers.map(({ status }) => status)).toStrictEqual(Array(10).fill(200))
      }
      const refused = yield* ask("POST", paths[0] ?? "")
      expect(statusAndBody(refused)).toStrictEqual(refusal(429, "Too many requests"))
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
      expect(receiver.received).toHaveLength(100)
      // Another company has drills of its own.
      const other = yield* onServer
      const { path } = yield* other.add(receiver.url)
      expect((yield* other.ask("POST", `${path}/drill`)).status).toBe(200)
    })
  )
})
