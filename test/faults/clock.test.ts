/** The clock of the host is set. What counts of stored things is the database's; what takes time is measured on one that is never set. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { createKey, createSession, onboard, send } from "../support/client.ts"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { metricsOf } from "../support/http/metrics.ts"
import { claims, secret, sign } from "../support/kyc/captcha.ts"
import { clock, withoutClocks } from "../support/machine/clock.ts"
import { callableApi } from "../support/marketplace/callable-api.ts"
import { execute } from "../support/postgres.ts"
import { runOn } from "../support/program.ts"

const [hour, month] = [3_600, 31 * 86_400]

describe.skipIf(withoutClocks)("the clock is set (needs Debian's faketime)", () => {
  it.scopedLive(
    "an hour ahead, a month ahead, an hour back, and right again: credentials stay valid or invalid",
    () =>
      Effect.gen(function* () {
        const host = yield* clock
        const databaseUrl = yield* freshDatabase
        const program = yield* runOn(databaseUrl, {
          ...host.environment,
          SEED_DEMO: "false",
          SIGNUP: "open",
          LOG_LEVEL: "warning",
          CAPTCHA_JWT_SECRET: secret,
          GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true"
        })
        const { instance, key, member, session } = yield* onboard(program)
        const headers = { cookie: member.cookie }
        // By the database's clock there is time until then, or none.
        const [soon, past] = [new Date(Date.now() + 600_000), new Date(Date.now() - 1_000)]
        const expiring = yield* createKey(program, member, { expiresAt: soon.toISOString() })
        const expired = yield* createKey(program, member, { expiresAt: past.toISOString() })
        const ended = yield* createSession(program, key.token, instance.id)
        yield* execute(databaseUrl, "update kyc_sessions set expires_at = now() where id = $1", [ended.id])
        const api = yield* callableApi(program, member)
        yield* execute(databaseUrl, "update api_plans set requests_per_minute = 5")

        const statusOf = (asked: ReturnType<typeof send>) => Effect.map(asked, ({ status }) => status)
        const use = (token: string) =>
          statusOf(
            send(program, "POST", "/api/kyc/public/sessions", {
              headers: { "x-api-key": token },
              json: { instanceId: instance.id }
            })
          )
        const read = ({ path, token }: typeof session) =>
          statusOf(send(program, "GET", `${path}?token=${token}`))
        const verify = (captchaToken: string) =>
          Effect.map(
            send(program, "POST", `${session.path}/captcha/verify`, {
              json: { token: session.token, captchaToken, siteKey: instance.publicKey }
            }),
            ({ body }) => body
          )
        const captcha = (seconds: number) =>
          Effect.promise(() =>
            sign(claims({ siteKey: instance.publicKey, exp: Math.floor(Date.now() / 1_000) + seconds }))
          )
        const call = send(program, "GET", api.path, { headers: { "x-api-key": api.token } })
        const used = yield* captcha(300)
        expect(yield* verify(used)).toMatchObject({ success: true })

        for (const offset of [0, hour, month, -hour, 0]) {
          yield* host.set(offset)
          yield* eventually(
            "the program has the new time",
            Effect.map(send(program, "GET", "/healthz"), ({ headers }) => {
              const date = Date.parse(headers.get("date") ?? "")
              return Math.abs(date - Date.now() - offset * 1_000) < 10_000
            })
          )
          const at = `with the clock set by ${offset} s`
          expect([yield* read(session), yield* read(ended)], `sessions ${at}`).toEqual([200, 410])
          expect(
            [yield* use(key.token), yield* use(expiring.token), yield* use(expired.token)],
            `keys ${at}`
          ).toEqual([201, 201, 401])
          const revoked = yield* createKey(program, member)
          expect(yield* use(revoked.token), `a new key ${at}`).toBe(201)
          yield* send(program, "POST", `/api/api-keys/${revoked.id}/revoke`, { headers })
          expect(yield* use(revoked.token), `a revoked key ${at}`).toBe(401)
          expect(yield* statusOf(send(program, "GET", "/api/auth/me", { headers }))).toBe(200)

          // A captcha's end is judged by the clock of the process; once means once, whatever it says.
          const [good, late] = [yield* captcha(offset + 300), yield* captcha(offset - 60)]
          expect(yield* verify(good)).toMatchObject({ success: true })
          expect(yield* verify(late)).toMatchObject({ success: false, error: "EXPIRED" })

          // Nobody is kept waiting for a time that is not to come: of the minute in which calls are counted no more than that minute.
          const answers = yield* Effect.replicateEffect(call, 8)
          expect(answers.map(({ status }) => status)).toEqual(expect.arrayContaining([200, 429]))
          for (const { headers, status } of answers)
            if (status === 429)
              expect(Number(headers.get("retry-after")), "seconds of Retry-After").toBeLessThanOrEqual(61)

          const memory = (yield* metricsOf(program)).value("process_resident_memory_bytes") ?? 0
          expect(memory, "bytes of memory").toBeLessThan(300_000_000)
        }
        // The token from an hour ago, now that the clock is right again.
        const other = yield* createSession(program, key.token, instance.id)
        const again = yield* send(program, "POST", `${other.path}/captcha/verify`, {
          json: { token: other.token, captchaToken: used, siteKey: instance.publicKey }
        })
        expect(again.body).toMatchObject({ success: false, error: "DUPE" })
        expect(program.output()).not.toMatch(/\b(ERROR|FATAL)\b|panic/)
      })
  )
})
