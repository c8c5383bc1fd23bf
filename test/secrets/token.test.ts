import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  displayPrefix,
  isWellFormed,
  newToken,
  randomBase62,
  type TokenPrefix,
  tokenFrom,
  tokenHash
} from "../../src/secrets/token.ts"

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const families: ReadonlyArray<TokenPrefix> = [
  "dlk_",
  "dk_live_",
  "dk_test_",
  "kyc_sess_",
  "kyc_hand_",
  "dls_",
  "dli_"
]
const family = fc.constantFrom(...families)

describe("Token (contract.md#key-token)", () => {
  it.each(families)("%s, 43 random and 6 checksum characters, all base62", (prefix) => {
    const token = newToken(prefix)
    expect(token).toMatch(new RegExp(`^${prefix}[0-9A-Za-z]{49}$`))
    expect(isWellFormed(prefix, token)).toBe(true)
  })

  it("ends with the CRC-32 of everything before it, so that scanners can verify it", () => {
    // Python's zlib.crc32(b"dlk_" + b"0" * 43), 0xce59c449, in base62.
    expect(isWellFormed("dlk_", `dlk_${"0".repeat(43)}3mI9bV`)).toBe(true)
  })

  it("is different each time", () => {
    expect(new Set(Array.from({ length: 1_000 }, () => newToken("dlk_"))).size).toBe(1_000)
  })

  it("draws every character of the alphabet evenly", () => {
    const drawn = randomBase62(62_000)
    for (const character of alphabet) {
      // 1,000 are expected of each; 6 standard deviations are 188.
      const count = drawn.split(character).length - 1
      expect(count, character).toBeGreaterThan(800)
      expect(count, character).toBeLessThan(1_200)
    }
  })

  it.each(families)("every change of one character of a %s token is detected", (prefix) => {
    const token = newToken(prefix)
    for (let position = 0; position < token.length; position++) {
      for (const character of `${alphabet}_-. é`) {
        if (character === token[position]) continue
        const changed = token.slice(0, position) + character + token.slice(position + 1)
        expect(isWellFormed(prefix, changed), changed).toBe(false)
      }
    }
  })

  it("a token of one family is not valid in another, even with the prefix exchanged", () => {
    fc.assert(
      fc.property(family, family, (prefix, other) => {
        fc.pre(prefix !== other)
        const token = newToken(prefix)
        return !isWellFormed(other, token) && !isWellFormed(other, other + token.slice(prefix.length))
      })
    )
  })

  it("a token with text before or after it is invalid", () => {
    const token = newToken("dlk_")
    for (const other of [
      ` ${token}`,
      `${token} `,
      `${token}\n`,
      `${token}0`,
      token.slice(0, -1),
      "dlk_",
      ""
    ]) {
      expect(isWellFormed("dlk_", other), JSON.stringify(other)).toBe(false)
    }
  })
})

describe("a token made from 32 bytes", () => {
  const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 })

  it("is well-formed and deterministic", () => {
    fc.assert(
      fc.property(family, bytes, (prefix, secret) => {
        const token = tokenFrom(prefix, secret)
        return isWellFormed(prefix, token) && token === tokenFrom(prefix, secret)
      })
    )
  })

  it("contains all of the bytes: they can be decoded from it", () => {
    fc.assert(
      fc.property(family, bytes, (prefix, secret) => {
        const digits = tokenFrom(prefix, secret).slice(prefix.length, prefix.length + 43)
        const number = [...digits].reduce((sum, digit) => sum * 62n + BigInt(alphabet.indexOf(digit)), 0n)
        return number.toString(16).padStart(64, "0") === Buffer.from(secret).toString("hex")
      }),
      {
        examples: [
          ["dk_live_", new Uint8Array(32)],
          ["dk_test_", new Uint8Array(32).fill(255)]
        ]
      }
    )
  })
})

describe("Storage (contract.md#key-storage)", () => {
  it("the SHA-256 of the token", () => {
    expect(Buffer.from(tokenHash("dlk_abc")).toString("hex")).toBe(
      new Bun.CryptoHasher("sha256").update("dlk_abc").digest("hex")
    )
  })

  it("a short display prefix, which leaves 230 bits unknown", () => {
    expect(displayPrefix("dlk_", "dlk_abcdefghi")).toBe("dlk_abcd")
    expect(displayPrefix("kyc_sess_", "kyc_sess_abcdefghi")).toBe("kyc_sess_abcd")
  })
})
