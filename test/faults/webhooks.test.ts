/** The process killed while it delivers: each event arrives, with the same bytes each time, and no other does. */
import { expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Webhook } from "standardwebhooks"
import { connect } from "../../src/db/connection.ts"
import { onboard, send, text } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { feedReader } from "../support/feed.ts"
import { temporaryFolder } from "../support/postgres.ts"
import { embeddedUrl, productionProgram, runUntilReady } from "../support/program.ts"
import { killsOf, timeoutOf } from "../support/run/fault-size.ts"
import { startReceiver } from "../support/webhooks/receiver.ts"
import { keyWriter } from "../support/writers/accounts.ts"
import { sessionWriter } from "../support/writers/kyc.ts"
import { ledger } from "../support/writers/ledger.ts"

const kills = killsOf(4, 100)

it.scopedLive(
  "kill -9 at random points: every event arrives, verified and as the feed has it, in a sequence without gaps; none is invented",
  () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const receiver = yield* startReceiver
      const environment = {
        SEED_DEMO: "false",
        LOG_LEVEL: "warning",
        DATA_DIR: dataDir,
        GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true"
      }
      // The work of a killed process begins again once its lease has ended.
      let program = yield* runUntilReady(environment, productionProgram)
      const company = yield* onboard({ ...program, databaseUrl: Redacted.make("") })
      const reader = feedReader(company.key.token, { limit: "100" })
      // Events that are in the log before there is an endpoint are not sent.
      yield* reader.read(program)
      const added = yield* send(program, "POST", "/api/webhook-endpoints", {
        headers: { cookie: company.member.cookie },
        json: { url: receiver.url }
      })
      const webhook = new Webhook(text(added.body, "secret"))
      receiver.answer = ({ body, headers }) => {
        webhook.verify(body, { ...headers })
        return new Response(null, { status: 204 })
      }
      const writers = [sessionWriter(company), sessionWriter(company), keyWriter(company)]
      for (let kill = 0; kill < kills; kill++) {
        const working = yield* ledger().work(program, writers)
        const enough = receiver.received.length + 1 + Math.random() * 40
        yield* eventually("some deliveries have arrived", () => receiver.received.length >= enough)
        program.signal("SIGKILL")
        expect(yield* program.exited).toBe("SIGKILL")
        yield* Effect.forEach(working, (fiber) => fiber.await)
        program = yield* runUntilReady(environment, productionProgram)
      }
      const events = yield* reader.read(program)
      const client = yield* connect(yield* embeddedUrl(dataDir))
      yield* eventually(
        "all deliveries have succeeded",
        Effect.promise(async () => {
          const { rows } = await client.query(
            "select status, count(*)::int as n from webhook_deliveries group by status"
          )
          return rows.length === 1 && rows[0].status === "succeeded" && rows[0].n === events.length
        })
      )
      const arrived = new Set(
        receiver.received.map(({ body, headers }) => `${headers["doorlock-sequence"]} ${body}`)
      )
      expect(arrived).toStrictEqual(
        new Set(events.map((event, index) => `${index + 1} ${JSON.stringify(event)}`))
      )
    }),
  timeoutOf(kills)
)
