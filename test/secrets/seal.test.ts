import { expect, it } from "@effect/vitest"
import { Effect, Exit, Layer, Redacted } from "effect"
import { Seal, SealBroken, type SealPurpose } from "../../src/secrets/seal.ts"
import { SecretKey } from "../../src/secrets/secret-key.ts"
import { newToken } from "../../src/secrets/token.ts"

const under = (root: string) =>
  Seal.pipe(Effect.provide(Layer.provide(Seal.Default, SecretKey.layer(Redacted.make(root)))))

const root = "a root secret of 32 bytes or more"
const broken = Exit.fail(new SealBroken())

it.effect("any text opens unchanged with its secret, purpose and associated data", () =>
  Effect.gen(function* () {
    const { open, seal } = yield* under(root)
    const secret = newToken("kyc_hand_")
    for (const text of ["", "a", "€ – ي", "x".repeat(100_000)]) {
      const sealed = seal("kyc-handoff", secret, text, "row 1")
      expect(yield* open("kyc-handoff", secret, sealed, "row 1")).toBe(text)
      // By another process of the same installation, too.
      expect(yield* (yield* under(root)).open("kyc-handoff", secret, sealed, "row 1")).toBe(text)
    }
  })
)

it.effect("is different each time, and as long as text, nonce and tag", () =>
  Effect.gen(function* () {
    const { seal } = yield* under(root)
    const secret = newToken("kyc_hand_")
    const all = Array.from({ length: 50 }, () => seal("kyc-handoff", secret, "the same", "row 1"))
    expect(new Set(all.map((sealed) => Buffer.from(sealed).toString("hex"))).size).toBe(50)
    for (const sealed of all) {
      expect(sealed).toHaveLength(12 + 8 + 16)
      expect(Buffer.from(sealed).includes("the same")).toBe(false)
    }
  })
)

it.effect("opens with no other secret, purpose or associated data", () =>
  Effect.gen(function* () {
    const { open, seal } = yield* under(root)
    const secret = newToken("kyc_hand_")
    const sealed = seal("kyc-handoff", secret, "what is sealed", "row 1")
    const attempts = [
      open("kyc-handoff", newToken("kyc_hand_"), sealed, "row 1"),
      open("kyc-handoff", "", sealed, "row 1"),
      // There is one purpose so far: another one is one of tomorrow's.
      open("another" as SealPurpose, secret, sealed, "row 1"),
      open("kyc-handoff", secret, sealed, "row 2"),
      open("kyc-handoff", secret, sealed, ""),
      (yield* under("another root secret of 32 bytes!")).open("kyc-handoff", secret, sealed, "row 1")
    ]
    for (const attempt of attempts) expect(yield* Effect.exit(attempt)).toEqual(broken)
  })
)

it.effect("detects every changed bit and every missing or added byte", () =>
  Effect.gen(function* () {
    const { open, seal } = yield* under(root)
    const secret = newToken("kyc_hand_")
    const sealed = seal("kyc-handoff", secret, "what is sealed", "row 1")
    const opened = (changed: Uint8Array) => Effect.exit(open("kyc-handoff", secret, changed, "row 1"))
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = Uint8Array.from(sealed)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(yield* opened(changed), `bit ${bit}`).toEqual(broken)
    }
    for (let length = 0; length < sealed.length; length++) {
      expect(yield* opened(sealed.subarray(0, length)), `${length} bytes`).toEqual(broken)
    }
    expect(yield* opened(Buffer.concat([sealed, Buffer.from([0])]))).toEqual(broken)
  })
)
