/** PBKDF2 with HMAC-SHA-256 (RFC 8018, RFC 2104) for browsers without WebCrypto: see `sha256.ts`. */
import { bytesOf, compress, digest, firstState, wordsOf } from "../sha256.ts"

const blockBytes = 64

/** HMAC with precomputed states for the key: two blocks per repetition instead of four. */
const keyed = (key: Uint8Array) => {
  const block = new Uint8Array(blockBytes)
  block.set(key.length > blockBytes ? bytesOf(digest(key)) : key)
  const stateFor = (pad: number) => compress(firstState, wordsOf(block.map((byte) => byte ^ pad)))
  const [inner, outer] = [stateFor(0x36), stateFor(0x5c)]
  // The padding after one block and a hash of 8 words.
  const tail = new Int32Array(16)
  tail[8] = 0x80000000 | 0
  tail[15] = (blockBytes + 32) * 8
  const hashOf = (state: Int32Array, words: Int32Array) => {
    tail.set(words)
    return compress(state, tail)
  }
  return {
    ofBytes: (message: Uint8Array) => hashOf(outer, digest(message, inner, blockBytes)),
    ofHash: (words: Int32Array) => hashOf(outer, hashOf(inner, words))
  }
}

/** Derives at most 32 bytes: the captcha needs only one block. */
export const pbkdf2 = (
  password: Uint8Array,
  salt: Uint8Array,
  iterations: number,
  length: number
): Uint8Array<ArrayBuffer> => {
  const hmac = keyed(password)
  const first = new Uint8Array(salt.length + 4)
  first.set(salt)
  first[salt.length + 3] = 1
  let words = hmac.ofBytes(first)
  const sum = Int32Array.from(words)
  for (let round = 1; round < iterations; round++) {
    words = hmac.ofHash(words)
    for (let i = 0; i < 8; i++) sum[i] = (sum[i] ?? 0) ^ (words[i] ?? 0)
  }
  return bytesOf(sum).slice(0, length)
}
