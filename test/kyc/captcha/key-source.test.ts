import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../../support/eventually.ts"
import { captchaRefusal, claims, nowSeconds, rejection, success, verify } from "../../support/kyc/captcha.ts"
import { issuerKey, startWithKeys } from "../../support/kyc/key-set.ts"
import { statusAndBody } from "../../support/kyc/partner.ts"
import { stoppedDate } from "../../support/stopped-clock.ts"
import { withTimes } from "../../support/timing.ts"

it.scopedLive("after a rotation of the key set, the new key works and the old one does not", () =>
  Effect.gen(function* () {
    const { given, keys } = yield* startWithKeys
    const [first, second] = [yield* issuerKey("ES256", "first"), yield* issuerKey("ES256", "second")]
    const session = yield* given.newSession()
    const verdict = (token: string) => Effect.map(verify(given, session, token), statusAndBody)
    const [old, fresh] = yield* Effect.promise(() => Promise.all([first.token(), second.token()]))
    keys.publish(first)
    expect(yield* verdict(old)).toStrictEqual(success(0.9))
    keys.publish(second)
    // The set is looked for again five seconds after it was fetched, at the earliest.
    const { pass } = yield* stoppedDate
    yield* pass(5_000)
    expect(yield* verdict(fresh)).toStrictEqual(success(0.9))
    expect(yield* verdict(old)).toStrictEqual(rejection("INVALID_SIGNATURE"))
  })
)

it.scopedLive("a token without a kid is tried with each of several keys", () =>
  Effect.gen(function* () {
    const { given, keys } = yield* startWithKeys
    const [first, second, stranger] = [
      yield* issuerKey("RS256"),
      yield* issuerKey("RS256"),
      yield* issuerKey("RS256")
    ]
    keys.publish(first, second)
    const session = yield* given.newSession()
    for (const key of [first, second]) {
      const token = yield* Effect.promise(() => key.token())
      expect(statusAndBody(yield* verify(given, session, token))).toStrictEqual(success(0.9))
      const late = yield* Effect.promise(() => key.token(claims({ exp: nowSeconds() - 1 })))
      expect(statusAndBody(yield* verify(given, session, late))).toStrictEqual(rejection("EXPIRED"))
    }
    const token = yield* Effect.promise(() => stranger.token())
    expect(statusAndBody(yield* verify(given, session, token))).toStrictEqual(rejection("INVALID_SIGNATURE"))
  })
)

const failed = captchaRefusal(500, "Failed to verify captcha token")

const brokenAnswers: ReadonlyArray<readonly [string, () => Response | Promise<Response>]> = [
  ["answers 500", () => new Response("no", { status: 500 })],
  ["redirects", () => Response.redirect("http://127.0.0.1:9/", 302)],
  ["answers HTML", () => new Response("<p>hello</p>")],
  ["answers JSON that is no key set", () => Response.json({ keys: "all" })]
]

const hangingAnswers: ReadonlyArray<readonly [string, () => Response | Promise<Response>]> = [
  ["hangs", () => new Promise<Response>(() => {})],
  ["hangs in the middle", () => new Response(new ReadableStream({ start: (c) => c.enqueue("{") }))]
]

/** A key server, a session, and a token for it that is good once the key is published. */
const unpublished = Effect.gen(function* () {
  const { given, keys } = yield* startWithKeys
  const key = yield* issuerKey("ES256", "k")
  const session = yield* given.newSession()
  const token = yield* Effect.promise(() => key.token())
  return { given, key, keys, session, verdict: Effect.map(verify(given, session, token), statusAndBody) }
})

/** That the set is fetched once it is there, and then still good without its server. */
const expectRecovery = ({ key, keys, verdict }: Effect.Effect.Success<typeof unpublished>) =>
  Effect.gen(function* () {
    keys.publish(key)
    yield* eventually("the keys are known", verdict, ({ status }) => status === 200)
    expect(yield* verdict).toStrictEqual(success(0.9))
    yield* keys.stop
    expect(yield* verdict, "the set at hand is still good").toStrictEqual(success(0.9))
  })

it.scopedLive(
  "500 Failed to verify captcha token: the key server is down or sends garbage; then it recovers",
  () =>
    Effect.gen(function* () {
      const all = yield* unpublished
      const { given, keys, session, verdict } = all
      yield* keys.stop
      expect(yield* verdict, "is down").toStrictEqual(failed)
      yield* keys.restart
      for (const [what, respond] of brokenAnswers) {
        keys.answer(respond)
        expect(yield* verdict, what).toStrictEqual(failed)
      }
      // What can be told without the keys still is.
      expect(statusAndBody(yield* verify(given, session, "nonsense"))).toStrictEqual(rejection("MALFORMED"))
      yield* expectRecovery(all)
    })
)

it.scopedLive("500 Failed to verify captcha token: the key server hangs; then it recovers", () =>
  Effect.forEach(hangingAnswers, ([what, respond]) =>
    Effect.gen(function* () {
      const all = yield* unpublished
      all.keys.answer(respond)
      expect(yield* all.verdict, what).toStrictEqual(failed)
      yield* expectRecovery(all)
    })
  ).pipe(withTimes({ timeouts: { "kyc.captcha_keys": 200 } }))
)

it.scopedLive("500 Failed to verify captcha token: the key that the token names is unusable", () =>
  Effect.gen(function* () {
    const { given, keys } = yield* startWithKeys
    const key = yield* issuerKey("ES256", "k")
    keys.publish({ ...key, jwk: { ...key.jwk, x: "!" } })
    const token = yield* Effect.promise(() => key.token())
    expect(statusAndBody(yield* verify(given, yield* given.newSession(), token))).toStrictEqual(failed)
  })
)
