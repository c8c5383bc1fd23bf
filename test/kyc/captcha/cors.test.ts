import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { send } from "../../support/client.ts"
import { Partner } from "../../support/kyc/partner.ts"
import { suite } from "../../support/suite.ts"

const origin = { origin: "https://partner.example" }

/** The routes that a browser calls with a session token, or on the way to a captcha token. */
const routes = [
  ["POST", "captcha/verify"],
  ["POST", "dedup-check"],
  ["GET", "/api/kyc/captcha/challenge"],
  ["POST", "/api/kyc/captcha/redeem"]
] as const

suite(Partner.layer)("Captcha and dedup from any origin", (it) => {
  for (const [method, route] of routes) {
    const pathIn = (sessionPath: string) => (route.startsWith("/") ? route : `${sessionPath}/${route}`)

    it.effect(`preflight: ${method} ${route}`, () =>
      Effect.gen(function* () {
        const { newSession, server } = yield* Partner
        const { path } = yield* newSession()
        const answer = yield* send(server, "OPTIONS", pathIn(path), {
          headers: {
            ...origin,
            "access-control-request-method": method,
            "access-control-request-headers": "content-type"
          }
        })
        expect(answer.status).toBe(204)
        expect(answer.text).toBe("")
        expect(answer.headers.get("access-control-allow-origin")).toBe("*")
        expect(answer.headers.get("access-control-allow-methods")).toBe(method)
        expect(answer.headers.get("access-control-allow-headers")?.split(", ")).toContain("content-type")
        expect(answer.headers.get("access-control-allow-credentials")).toBeNull()
      })
    )

    it.effect(`any origin, no credentials, on every answer: ${method} ${route}`, () =>
      Effect.gen(function* () {
        const { newSession, server } = yield* Partner
        const { path, token } = yield* newSession()
        const json = { token, captchaToken: "x", siteKey: "s", keyHash: "0".repeat(64) }
        const query = "?siteKey=s&sessionId=s"
        const headers = { ...origin, cookie: "dashboard_session=x" }
        const post = { ...headers, "content-type": "application/json" }
        const answers = [
          yield* method === "GET"
            ? send(server, method, pathIn(path) + query, { headers })
            : send(server, method, pathIn(path), { headers, json }),
          yield* send(server, method, pathIn(path), { headers }),
          yield* send(server, method, pathIn("/api/kyc/public/sessions/none"), { headers }),
          yield* send(server, "DELETE", pathIn(path), { headers }),
          ...(method === "POST"
            ? [
                yield* send(server, method, pathIn(path), { headers: post, body: "{" }),
                yield* send(server, method, pathIn(path), {
                  headers: { ...headers, "content-type": "text/plain" },
                  body: "{}"
                })
              ]
            : [])
        ]
        for (const answer of answers) {
          expect(answer.headers.get("access-control-allow-origin")).toBe("*")
          expect(answer.headers.get("access-control-allow-credentials")).toBeNull()
        }
        expect(new Set(answers.map(({ status }) => status)).size).toBeGreaterThan(2)
      })
    )
  }
})
