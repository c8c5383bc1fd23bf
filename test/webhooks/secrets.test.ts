/** Secrets of endpoints where they are stored, and what a change of SECRET_KEY does to them. */
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SecretKey } from "../../src/secrets/secret-key.ts"
import { WebhookSecrets } from "../../src/webhooks/secrets.ts"
import { signWith } from "../../src/webhooks/signature.ts"

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
