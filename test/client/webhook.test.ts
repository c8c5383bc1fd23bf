import { expect, it } from "vitest"
import { verifyWebhook, WebhookError } from "../../src/client/package/index.ts"
import { exampleEvent } from "../../src/events/examples.ts"
import {
  newSecret,
  publicKeyOf,
  type Scheme,
  secondsOf,
  signedHeaders,
  signWith
} from "../../src/webhooks/signature.ts"

const event = exampleEvent("kyc.session.completed")
const body = JSON.stringify({ ...event, data: { ...event.data, external_reference: "Zoë" } })
const now = () => secondsOf(Date.now())
/** What a receiver has of a secret. */
const knownOf = (scheme: Scheme, secret: string) => (scheme === "v1" ? secret : publicKeyOf(secret))

const problemOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "accepted",
    (error) => (error instanceof WebhookError ? error.problem : Promise.reject(error))
  )

it.each<Scheme>(["v1", "v1a"])("verifies signatures of %s, and refuses all others", async (scheme) => {
  const [secret, next, other] = [newSecret(scheme), newSecret(scheme), newSecret(scheme)]
  const known = knownOf(scheme, secret)
  const headers = signedHeaders(signWith([secret]), event.id, now(), body)
  const problem = (changed: object, secrets: string | Array<string> = known, given: string = body) =>
    problemOf(verifyWebhook({ body: given, headers: { ...headers, ...changed } }, secrets))

  expect(await verifyWebhook({ body, headers }, known)).toEqual(JSON.parse(body))
  expect(await problem({})).toBe("accepted")
  // In the forms in which servers have headers and bodies.
  const asBytes = { body: new TextEncoder().encode(body), headers: new Headers(headers) }
  expect(await verifyWebhook(asBytes, [knownOf(scheme, other), known])).toHaveProperty("id", event.id)
  // During a rotation.
  const both = { "webhook-signature": signWith([secret, next])(event.id, now(), body) }
  const rotated = { ...both, "webhook-timestamp": String(now()) }
  expect(await problem(rotated, knownOf(scheme, next))).toBe("accepted")
  expect(await problem(rotated)).toBe("accepted")

  expect(await problem({}, knownOf(scheme, other))).toBe("signature-wrong")
  expect(await problem({}, [])).toBe("signature-wrong")
  expect(await problem({}, known, body.replace("Zoë", "Zoe"))).toBe("signature-wrong")
  expect(await problem({ "webhook-id": "evt_other" })).toBe("signature-wrong")
  const signature = headers["webhook-signature"].slice(scheme.length + 1)
  for (const wrong of [`v2,${signature}`, `${scheme},`, `${scheme},AAAA`, `${scheme},é`, signature, " "])
    expect(await problem({ "webhook-signature": wrong }), wrong).toBe("signature-wrong")
  for (const name of Object.keys(headers)) {
    expect(await problem({ [name]: undefined })).toBe("header-missing")
    expect(await problem({ [name]: "" })).toBe("header-missing")
  }
  for (const wrong of ["²", "-1", "1e9", String(now() - 400), String(now() + 400)])
    expect(await problem({ "webhook-timestamp": wrong }), wrong).toBe("timestamp-refused")
})

it("accepts an old timestamp within the tolerance of the caller", async () => {
  const secret = newSecret("v1")
  const request = { body, headers: signedHeaders(signWith([secret]), event.id, now() - 400, body) }
  expect(await problemOf(verifyWebhook(request, secret, { tolerance: 500 }))).toBe("accepted")
})

it("is loud about a secret that cannot be one", async () => {
  const headers = signedHeaders(signWith([newSecret("v1")]), event.id, now(), body)
  for (const secret of ["whsec_#", "whpk_AAAA"])
    await expect(problemOf(verifyWebhook({ body, headers }, secret))).rejects.not.toBeInstanceOf(WebhookError)
})
