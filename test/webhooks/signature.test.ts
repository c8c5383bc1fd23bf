/** Signatures of deliveries, and the secrets that make them: where these are stored, and what a change of SECRET_KEY does to them. */
import { createPublicKey, verify } from "node:crypto"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { Webhook } from "standardwebhooks"
import { SecretKey } from "../../src/secrets/secret-key.ts"
import { WebhookSecrets } from "../../src/webhooks/secrets.ts"
import { newSecret, publicKeyOf, signWith } from "../../src/webhooks/signature.ts"

const id = "evt_0123456789abcdef0123456789abcdef"
const body = '{"type":"kyc.session.completed","data":{"external_reference":"Zoë 42"}}'
const now = () => Math.floor(Date.now() / 1000)

/** The headers of a delivery. */
const headers = (secrets: ReadonlyArray<string>, timestamp = now()) => ({
  "webhook-id": id,
  "webhook-timestamp": String(timestamp),
  "webhook-signature": signWith(secrets)(id, timestamp, body)
})

describe("Signatures v1 (HMAC)", () => {
  it("equal the example of the package's own tests", () => {
    expect(
      signWith(["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"])(
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1614265330,
        '{"test": 2432232314}'
      )
    ).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
  })

  it("are verified by a receiver that knows any one of several secrets, and by no other", () => {
    const secrets = [newSecret("v1"), newSecret("v1a"), newSecret("v1")]
    for (const known of [secrets[0], secrets[2]]) {
      expect(new Webhook(known ?? "").verify(body, headers(secrets))).toStrictEqual(JSON.parse(body))
    }
    expect(() => new Webhook(newSecret("v1")).verify(body, headers(secrets))).toThrow(
      "No matching signature found"
    )
  })
})

describe("Signatures v1a (ed25519)", () => {
  const valid = (publicKey: string, signature: string, content: string) =>
    verify(
      null,
      Buffer.from(content),
      createPublicKey({
        key: {
          kty: "OKP",
          crv: "Ed25519",
          x: Buffer.from(publicKey.slice("whpk_".length), "base64").toString("base64url")
        },
        format: "jwk"
      }),
      Buffer.from(signature.slice("v1a,".length), "base64")
    )

  it("are verified with the public key", () => {
    const secret = newSecret("v1a")
    const signature = signWith([secret])(id, 1614265330, body)
    expect(signature).toMatch(/^v1a,[A-Za-z0-9+/]{86}==$/)
    expect(valid(publicKeyOf(secret), signature, `${id}.1614265330.${body}`)).toBe(true)
    expect(valid(publicKeyOf(secret), signature, `${id}.1614265331.${body}`)).toBe(false)
    expect(valid(publicKeyOf(newSecret("v1a")), signature, `${id}.1614265330.${body}`)).toBe(false)
  })
})

const first = Redacted.make("1".repeat(32))
const second = Redacted.make("2".repeat(32))
const third = Redacted.make("3".repeat(32))

/** The service under a SECRET_KEY, and maybe its predecessor. */
const under = (key: Redacted.Redacted<string>, previous?: Redacted.Redacted<string>) =>
  Effect.provide(WebhookSecrets, WebhookSecrets.Default.pipe(Layer.provide(SecretKey.layer(key, previous))))

const text = (sealed: Uint8Array) => Buffer.from(sealed).toString("base64")

it.effect("a secret signs under the key that sealed it and under its successor, for its endpoint alone", () =>
  Effect.gen(function* () {
    const old = yield* under(first)
    const { secret = "", stored } = old.make("endpoint", "v1")
    const raw = Buffer.from(stored.sealed).toString("latin1")
    for (const form of [secret, Buffer.from(secret.slice(6), "base64").toString("latin1")]) {
      expect(raw).not.toContain(form)
    }
    const expected = signWith([secret])("id", 1, "body")
    for (const secrets of [old, yield* under(second, first)]) {
      const sign = yield* secrets.signer("endpoint", [text(stored.sealed)])
      expect(sign("id", 1, "body")).toBe(expected)
      expect((yield* Effect.flip(secrets.signer("another", [text(stored.sealed)])))._tag).toBe("SealBroken")
    }
    const stranger = yield* under(third, second)
    expect((yield* Effect.flip(stranger.signer("endpoint", [text(stored.sealed)])))._tag).toBe("SealBroken")
    expect((yield* Effect.flip(old.signer("endpoint", [])))._tag).toBe("SealBroken")
  })
)

it.effect("a secret that was rotated after a change of SECRET_KEY signs, although the old one is lost", () =>
  Effect.gen(function* () {
    const lost = (yield* under(first)).make("endpoint", "v1").stored
    const secrets = yield* under(third)
    const { secret = "", stored } = secrets.make("endpoint", "v1")
    const sign = yield* secrets.signer("endpoint", [text(stored.sealed), text(lost.sealed)])
    expect(sign("id", 1, "body")).toBe(signWith([secret])("id", 1, "body"))
  })
)

it.effect("a secret that was sealed again opens with the new key alone", () =>
  Effect.gen(function* () {
    const old = yield* under(first)
    const { secret = "", stored } = old.make("endpoint", "v1")
    const both = yield* under(second, first)
    const resealed = yield* both.resealed(stored.id, "endpoint", stored.sealed)
    expect([stored.sealedBy, resealed.sealedBy]).toStrictEqual([old.sealedBy, both.sealedBy])
    expect(old.sealedBy).not.toBe(both.sealedBy)
    const sign = yield* Effect.flatMap(under(second), ({ signer }) =>
      signer("endpoint", [text(resealed.sealed)])
    )
    expect(sign("id", 1, "body")).toBe(signWith([secret])("id", 1, "body"))
  })
)

it.effect("v1a returns its public key, and not the private one", () =>
  Effect.gen(function* () {
    const { publicKey, secret, stored } = (yield* under(first)).make("endpoint", "v1a")
    expect(secret).toBeUndefined()
    expect(publicKey).toMatch(/^whpk_/)
    expect(Buffer.from(stored.sealed).toString("latin1")).not.toContain("whsk_")
  })
)
