/** Made-up keys and tokens at full speed: they are refused and held back, and every good call beside them is answered well. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { onboard, send } from "../support/client.ts"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { type FloodAnswers, flooding, madeUp } from "../support/http/flood.ts"
import { goodCallers } from "../support/http/good-callers.ts"
import { callableApi } from "../support/marketplace/callable-api.ts"
import { productionProgram, runOn } from "../support/program.ts"
import { sized } from "../support/run/fault-size.ts"

const floodAddress = "203.0.113.9"
const otherAddress = "203.0.113.1"

const connections = 32
const callers = 4

/** How often each connection of the flood is refused before the counts are checked. */
const refusals = sized(8, 40)

describe("a flood of made-up credentials, at full speed", () => {
  for (const kind of madeUp) {
    it.scopedLive(
      `${kind}: the flood gets few responses, all 401, 404 or 429; valid ones, from the same address and another, all get 200`,
      () =>
        Effect.gen(function* () {
          const environment = {
            SEED_DEMO: "false",
            SIGNUP: "open",
            LOG_LEVEL: "warning",
            TRUSTED_PROXIES: "127.0.0.1",
            GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true"
          }
          const program = yield* runOn(yield* freshDatabase, environment, productionProgram)
          const { key, member, session } = yield* onboard(program)
          const api = yield* callableApi(program, member)
          const good = (address: string) => {
            const line = {
              "platform keys": `GET /api/kyc/sessions/${session.id} HTTP/1.1\r\nX-Api-Key: ${key.token}`,
              "marketplace keys": `GET ${api.path} HTTP/1.1\r\nX-Api-Key: ${api.token}`,
              "session tokens": `GET ${session.path}?token=${session.token} HTTP/1.1`
            }[kind]
            return `${line}\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\n\r\n`
          }
          for (const address of [floodAddress, otherAddress]) {
            yield* Effect.scoped(
              Effect.gen(function* () {
                const well = yield* goodCallers(program, good(address), callers)
                yield* eventually("each good caller has been answered, and its key is remembered", () =>
                  well.each().every((answers) => answers > 0)
                )
                const before = well.each()
                const flood = yield* flooding(program, { kind, address: floodAddress, connections })
                yield* eventually(
                  "every connection of the flood is refused over and over",
                  Effect.map(flood.answers, (answers) => (answers["429"] ?? 0) >= connections * refusals)
                )
                let flooded: FloodAnswers = {}
                // Refusals are delayed. Otherwise the flood's connections would get as many responses as the valid callers, however long
                // that lasts.
                yield* eventually(
                  "a good caller gets more than twice as many good answers as a connection of the flood gets any",
                  Effect.map(flood.answers, (answers) => {
                    flooded = answers
                    const perConnection =
                      Object.values(answers).reduce((sum, count) => sum + count) / connections
                    const beside = well.each().map((all, caller) => all - (before[caller] ?? 0))
                    return perConnection < Math.min(...beside) / 2
                  })
                )
                expect(Object.keys(well.answers()), `what good calls from ${address} are answered`).toEqual([
                  "200"
                ])
                expect(
                  Object.keys(flooded).filter((status) => !["401", "404", "429"].includes(status)),
                  `what else the flood is answered: ${JSON.stringify(flooded)}`
                ).toEqual([])
              })
            )
          }
          expect((yield* send(program, "GET", "/readyz")).status, "/readyz after the floods").toBe(200)
        })
    )
  }
})
