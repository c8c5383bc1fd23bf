import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { newToken } from "../../src/secrets/token.ts"
import { send, text } from "../support/client.ts"
import { withoutTable } from "../support/database/outage.ts"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { startHere } from "../support/program-here.ts"

it.scopedLive(
  "Keys, tokens and passwords are never in the output, even when things fail (contract.md#secrets)",
  () =>
    Effect.gen(function* () {
      const password = "a password of my own"
      const wrongPassword = "another password of mine"
      const program = yield* startHere(yield* freshDatabase, {
        ADMIN_PASSWORD: password,
        SIGNUP: "open",
        LOG_LEVEL: "trace",
        LOG_FORMAT: "json"
      })
      const login = (given: string) =>
        send(program, "POST", "/api/auth/login", { json: { email: "admin@example.com", password: given } })
      const signedIn = yield* login(password)
      expect(signedIn.status).toBe(200)
      const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? ""
      yield* login(wrongPassword)
      const createKey = send(program, "POST", "/api/api-keys", { headers: { cookie }, json: { name: "n" } })
      const key = text((yield* createKey).body, "token")
      const madeUp = newToken("dlk_")
      const use = (headers: Readonly<Record<string, string>>) =>
        send(program, "POST", "/api/kyc/public/sessions", { headers, json: {} })
      yield* use({ "x-api-key": key })
      yield* use({ authorization: `Bearer ${madeUp}` })
      yield* send(program, "GET", `/api/api-keys?token=${key}`, { headers: { cookie } })

      yield* withoutTable(
        program,
        "api_keys",
        Effect.zipRight(createKey, use({ "x-api-key": newToken("dlk_"), authorization: `Bearer ${key}` }))
      )
      yield* withoutTable(program, "users", login(password))
      yield* withoutTable(program, "dashboard_sessions", createKey)
      const last = yield* send(program, "GET", "/api/auth/me", {
        headers: { cookie, "x-request-id": "the-last-one" }
      })
      expect(last.status).toBe(200)
      yield* eventually(
        "the last request is logged",
        Effect.sync(() => program.output().includes("the-last-one"))
      )

      expect(program.output().split("Request failed").length).toBeGreaterThan(4)
      const token = cookie.replace("dashboard_session=", "")
      for (const secret of [password, wrongPassword, key, madeUp, token]) {
        expect(program.output()).not.toContain(secret)
        expect(program.output()).not.toContain(encodeURIComponent(secret))
      }
    })
)
