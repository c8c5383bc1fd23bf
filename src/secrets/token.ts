/**
 * Tokens: `<prefix><43 random><6 checksum>`, all base62. 43 characters carry 256 bits.
 *
 * The checksum (CRC-32 of everything before it, as in GitHub's tokens) refuses typos without a query, spares
 * secret scanners false alarms, and ties a token to its family. It proves nothing: only the token's hash
 * proves possession.
 */
import { sha256, sha256Text } from "./digest.ts"

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const randomLength = 43
const checksumLength = 6

/**
 * `dlk_` platform API key; `dk_live_`, `dk_test_` marketplace key; `kyc_sess_` KYC session; `kyc_hand_` KYC
 * handoff; `dls_` dashboard session; `dli_` invitation.
 */
const prefixes = ["dlk_", "dk_live_", "dk_test_", "kyc_sess_", "kyc_hand_", "dls_", "dli_"] as const
export type TokenPrefix = (typeof prefixes)[number]

/** The source of a regular expression that matches every prefix. */
export const anyPrefix = `(?:${prefixes.join("|")})`

/** Drawn uniformly from the system's random source. */
export const randomBase62 = (length: number): string => {
  let out = ""
  while (out.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length + 16))) {
      // 248 is the largest multiple of 62 in a byte; larger bytes would favour the first letters.
      if (byte < 248) out += alphabet.charAt(byte % 62)
      if (out.length === length) break
    }
  }
  return out
}

/** A number as base62 digits, without those above `length`. */
const digitsOf = (value: bigint, length: number): string => {
  let rest = value
  let out = ""
  for (; out.length < length; rest /= 62n) out = alphabet.charAt(Number(rest % 62n)) + out
  return out
}

const withChecksum = (body: string): string => body + digitsOf(BigInt(Bun.hash.crc32(body)), checksumLength)

/** For most made-up tokens, checking the last character is enough. */
const endsWithChecksum = (token: string): boolean => {
  let rest = Bun.hash.crc32(token.slice(0, -checksumLength))
  for (let i = 1; i <= checksumLength; i++) {
    if (token.charCodeAt(token.length - i) !== alphabet.charCodeAt(rest % 62)) return false
    rest = Math.floor(rest / 62)
  }
  return true
}

export const newToken = (prefix: TokenPrefix): string => withChecksum(prefix + randomBase62(randomLength))

/** The token derived from 32 bytes. Anyone who knows them knows the token. */
export const tokenFrom = (prefix: TokenPrefix, secret: Uint8Array): string =>
  withChecksum(prefix + digitsOf(BigInt(`0x${Buffer.from(secret).toString("hex")}`), randomLength))

const base62 = /^[0-9A-Za-z]+$/

/** Whether doorlock could have issued it: checks prefix, length, alphabet and checksum without a query. */
export const isWellFormed = (prefix: TokenPrefix, token: string): boolean =>
  token.length === prefix.length + randomLength + checksumLength &&
  token.startsWith(prefix) &&
  endsWithChecksum(token) &&
  base62.test(token.slice(prefix.length))

/** Why a token is no whole one with any of these prefixes, without a query. */
export const notWhole = (
  token: string | undefined,
  wanted: ReadonlyArray<TokenPrefix>
): "key-missing" | "wrong-kind-of-key" | "key-malformed" => {
  if (token === undefined || token === "") return "key-missing"
  const isOther = prefixes.some((prefix) => !wanted.includes(prefix) && token.startsWith(prefix))
  return isOther ? "wrong-kind-of-key" : "key-malformed"
}

/** The hash that is stored; a slow one would add nothing to 256 random bits. */
export const tokenHash = (token: string): Uint8Array => sha256(token)

/** A token's hash as a key of in-memory maps. */
export const hashText = (hash: Uint8Array): string => hash.toBase64()

/** The same key, computed directly from the token. */
export const tokenHashText = (token: string): string => sha256Text(token)

/** What users see of a token after its creation. */
export const displayPrefix = (prefix: TokenPrefix, token: string): string => token.slice(0, prefix.length + 4)
