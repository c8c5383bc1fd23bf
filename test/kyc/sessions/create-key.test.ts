import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { createKey, send } from "../../support/client.ts"
import { Partner, refusal, statusAndBody } from "../../support/kyc/partner.ts"
import { suite } from "../../support/suite.ts"

suite(Partner.layer)("Create session: key", (it) => {
  it.effect("x-api-key, or Authorization: Bearer in any case", () =>
    Effect.gen(function* () {
      const { create, key } = yield* Partner
      for (const headers of [
        { "x-api-key": key.token },
        { authorization: `Bearer ${key.token}` },
        { authorization: `bearer  ${key.token}` },
        { "x-api-key": key.token, authorization: "Bearer nothing" }
      ]) {
        expect((yield* create({}, headers)).status).toBe(201)
      }
    })
  )

  it.effect("401 Invalid API key", () =>
    Effect.gen(function* () {
      const { create, key, member, newSession, server } = yield* Partner
      const revoked = yield* createKey(server, member)
      expect((yield* create({}, { "x-api-key": revoked.token })).status).toBe(201)
      yield* send(server, "POST", `/api/api-keys/${revoked.id}/revoke`, {
        headers: { cookie: member.cookie }
      })
      const expired = yield* createKey(server, member, { expiresAt: "2020-01-01" })
      const { token } = yield* newSession()
      for (const headers of [
        {},
        { "x-api-key": "" },
        { "x-api-key": "nonsense", authorization: `Bearer ${key.token}` },
        { "x-api-key": key.token.slice(0, -1) },
        { "x-api-key": `${key.token} x` },
        { "x-api-key": revoked.token },
        { "x-api-key": expired.token },
        { "x-api-key": key.token.replace("dlk_", "dk_live_") },
        { "x-api-key": token },
        { authorization: key.token },
        { authorization: `Basic ${key.token}` },
        { cookie: member.cookie },
        { authorization: `Bearer ${member.cookie.slice("dashboard_session=".length)}` }
      ]) {
        expect(statusAndBody(yield* create({}, headers))).toStrictEqual(refusal(401, "Invalid API key"))
        // The credential comes before the body.
        expect(statusAndBody(yield* create({ instanceId: 7 }, headers))).toStrictEqual(
          refusal(401, "Invalid API key")
        )
      }
    })
  )

  it.effect("403 API key does not have the scope kyc:sessions:create", () =>
    Effect.gen(function* () {
      const { create, member, server } = yield* Partner
      const withScopes = (scopes: ReadonlyArray<string>) =>
        Effect.flatMap(createKey(server, member, { scopes }), ({ token }) =>
          create({}, { "x-api-key": token })
        )
      for (const scopes of [["*"], ["kyc"], ["kyc:*"], ["kyc:sessions"], ["x", "kyc:sessions:create"]]) {
        expect((yield* withScopes(scopes)).status).toBe(201)
      }
      for (const scopes of [[], ["kyc:sessions:read"], ["ky"], ["kyc:sessions:create:all"]]) {
        expect(statusAndBody(yield* withScopes(scopes))).toStrictEqual(
          refusal(403, "API key does not have the scope kyc:sessions:create")
        )
      }
    })
  )
})
