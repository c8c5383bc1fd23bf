import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { rejection, secret, site, success, tokenWith, verify } from "../../support/kyc/captcha.ts"
import { askChallenge, earnToken, newChallenge, redeem, solve } from "../../support/kyc/challenge.ts"
import { companyOn, refusal, startCompany, statusAndBody } from "../../support/kyc/partner.ts"
import { sharedServer, startServer, startServerOn } from "../../support/server.ts"

const purpose = { siteKey: site, sessionId: "s-1" }
const notInUse = refusal(404, "The built-in captcha is not in use")

for (const [variable, value] of [
  ["CAPTCHA_JWT_SECRET", secret],
  ["CAPTCHA_JWKS_URL", "http://127.0.0.1:9/keys.json"]
] as const) {
  it.scopedLive(`404 The built-in captcha is not in use: with ${variable}`, () =>
    Effect.gen(function* () {
      const builtIn = yield* sharedServer
      const other = yield* startServer({ [variable]: value })
      const challenge = yield* newChallenge(builtIn, purpose)
      const solution = yield* solve(challenge)
      expect(statusAndBody(yield* askChallenge(other, purpose))).toStrictEqual(notInUse)
      expect(statusAndBody(yield* redeem(other, challenge, solution))).toStrictEqual(notInUse)
    })
  )
}

it.scopedLive("an empty variable counts as unset: the built-in captcha is in use", () =>
  Effect.gen(function* () {
    const server = yield* startServer({ CAPTCHA_JWT_SECRET: "", CAPTCHA_JWKS_URL: "" })
    expect((yield* askChallenge(server, purpose)).status).toBe(200)
  })
)

it.scopedLive("challenges and tokens are valid on every replica, and on no other installation", () =>
  Effect.gen(function* () {
    const one = yield* companyOn(yield* sharedServer)
    const replica = yield* startServerOn(one.server.databaseUrl)
    const stranger = yield* startServer({ SECRET_KEY: "another secret key, of 32 bytes or more" })
    const session = yield* one.newSession()
    const challenge = yield* newChallenge(one.server, { siteKey: site, sessionId: session.id })
    const solution = yield* solve(challenge)
    expect((yield* redeem(replica, challenge, solution)).status).toBe(200)
    expect(statusAndBody(yield* redeem(stranger, challenge, solution))).toStrictEqual(
      refusal(400, "Challenge is not solved")
    )
    const [own, foreign] = yield* Effect.all(
      [replica, stranger].map((server) => earnToken(server, { siteKey: site, sessionId: session.id }))
    )
    expect(statusAndBody(yield* verify(one, session, foreign ?? ""))).toStrictEqual(
      rejection("INVALID_SIGNATURE")
    )
    expect(statusAndBody(yield* verify(one, session, own ?? ""))).toStrictEqual(success(0.7))
  })
)

it.scopedLive("only the configured issuer is trusted", () =>
  Effect.gen(function* () {
    const builtIn = yield* companyOn(yield* sharedServer)
    const shared = yield* startCompany({ CAPTCHA_JWT_SECRET: secret })
    const foreign = yield* Effect.promise(() => tokenWith())
    expect(statusAndBody(yield* verify(builtIn, yield* builtIn.newSession(), foreign))).toStrictEqual(
      rejection("INVALID_SIGNATURE")
    )
    const session = yield* shared.newSession()
    const minted = yield* earnToken(builtIn.server, { siteKey: site, sessionId: session.id })
    expect(statusAndBody(yield* verify(shared, session, minted))).toStrictEqual(
      rejection("INVALID_SIGNATURE")
    )
  })
)
