/** The database can only be read from, as after a failover to a replica that is not promoted yet. */
import { expect, it } from "@effect/vitest"
import { Effect, type Redacted } from "effect"
import { type Answer, createSession, onboard, send } from "../support/client.ts"
import type { ContractRoute } from "../support/contract.ts"
import type { Company } from "../support/credentials.ts"
import { ask, onDatabase, ownFailure, start } from "../support/database/faulty-database.ts"
import { eventually } from "../support/eventually.ts"
import { execute } from "../support/postgres.ts"
import type { RunningServer } from "../support/server.ts"

const readOnly = (url: Redacted.Redacted<string>, setting: "on" | "off") =>
  Effect.gen(function* () {
    yield* execute(url, `alter system set default_transaction_read_only = ${setting}`)
    yield* execute(url, "select pg_reload_conf()")
    yield* eventually(
      "the setting holds",
      Effect.map(
        execute(url, "show default_transaction_read_only"),
        ([row]) => row?.default_transaction_read_only === setting
      )
    )
  })

/** What ends the credential that the others use comes last. */
const inOrder = onDatabase.toSorted((left, right) => Number(endsSessions(left)) - Number(endsSessions(right)))

function endsSessions({ pattern }: ContractRoute): boolean {
  return /\/(logout|password|remove|end|end-others)$/.test(pattern)
}

/** The response of every route, each for a session of its own. */
const answers = (
  server: RunningServer,
  company: Company,
  sessions: ReadonlyArray<Company["session"]>
): Effect.Effect<ReadonlyArray<readonly [route: ContractRoute, answer: Answer]>> =>
  Effect.forEach(inOrder, (route, index) =>
    Effect.map(
      ask(server, { ...company, session: sessions[index] ?? company.session }, route),
      (answer) => [route, answer] as const
    )
  )

const company = (server: RunningServer) =>
  Effect.gen(function* () {
    const made = yield* onboard(server)
    const sessions = yield* Effect.replicateEffect(
      createSession(server, made.key.token, made.instance.id),
      inOrder.length
    )
    return { made, sessions }
  })

it.scopedLive(
  "reads work, each write is its route's own 500, and writes work again once it is writable",
  () =>
    Effect.gen(function* () {
      const { server, url } = yield* start
      const [one, other] = [yield* company(server), yield* company(server)]
      const usual = new Map(
        (yield* answers(server, one.made, one.sessions)).map(([{ name }, { status }]) => [name, status])
      )
      // That a session is used is written once a minute, which must let nobody out.
      yield* execute(url, "update dashboard_sessions set last_seen_at = now() - interval '2 minutes'")
      yield* readOnly(url, "on")

      const seen = yield* answers(server, other.made, other.sessions)
      const failed = seen.filter(
        ([route, { body, status }]) => status === 500 && Bun.deepEquals(body, ownFailure(route))
      )
      const refused = seen.filter(([, { status }]) => status >= 400 && status < 500)
      const good = seen.filter(([, { status }]) => status < 300)
      expect(
        seen.filter((one) => ![...failed, ...refused, ...good].includes(one)),
        "answers that are neither good, nor a refusal, nor the route's own 500"
      ).toEqual([])
      expect(
        failed.filter(([{ method }]) => method === "GET").map(([{ name }]) => name),
        "reads that failed: only the one that is in the audit trail"
      ).toEqual(["GET /api/kyc/sessions/:id/export"])
      // An invalid token is refused, and nothing is written.
      const written = [...usual].flatMap(([name, status]) =>
        status < 300 && !name.startsWith("GET ") && !name.endsWith("/captcha/verify") ? [name] : []
      )
      expect(written).toEqual(
        expect.arrayContaining([
          "POST /api/api-keys",
          "POST /api/auth/login",
          "POST /api/auth/logout",
          "POST /api/kyc/instances",
          "POST /api/kyc/public/sessions",
          "POST /api/kyc/public/sessions/:sessionId/complete",
          "POST /api/kyc/public/sessions/:sessionId/progress"
        ])
      )
      expect(failed.map(([{ name }]) => name)).toEqual(expect.arrayContaining(written))
      expect((yield* send(server, "GET", "/readyz")).status).toBe(200)

      yield* readOnly(url, "off")
      yield* eventually(
        "a session is created again",
        Effect.map(
          send(server, "POST", "/api/kyc/public/sessions", {
            headers: { "x-api-key": other.made.key.token },
            json: { instanceId: other.made.instance.id }
          }),
          ({ status }) => status === 201
        )
      )
    })
)
