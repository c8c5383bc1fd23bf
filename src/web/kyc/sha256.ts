/**
 * SHA-256 (FIPS 180-4), the same everywhere: browsers offer no WebCrypto on plain http, as on a LAN.
 * `@noble/hashes` is three times the size, 1.7 kB in the page's script and 2.2 kB in the captcha's, and no faster.
 */

const primes = (count: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let candidate = 2; found.length < count; candidate++) {
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate)
  }
  return found
}

/** The first 32 bits of a number's fractional part. */
const fraction = (value: number): number => ((value - Math.floor(value)) * 2 ** 32) | 0

const roundConstants = Int32Array.from(primes(64), (prime) => fraction(Math.cbrt(prime)))
export const firstState = Int32Array.from(primes(8), (prime) => fraction(Math.sqrt(prime)))

const rotate = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits))

/** The types do not know the array's length. */
const at = (words: Int32Array, index: number): number => words[index] ?? 0

const schedule = new Int32Array(64)

/** Compresses a block of sixteen words into the state of eight. */
export const compress = (state: Int32Array, block: Int32Array): Int32Array => {
  schedule.set(block)
  for (let i = 16; i < 64; i++) {
    const early = at(schedule, i - 15)
    const late = at(schedule, i - 2)
    const small = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3)
    const large = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10)
    schedule[i] = at(schedule, i - 16) + small + at(schedule, i - 7) + large
  }
  let a = at(state, 0)
  let b = at(state, 1)
  let c = at(state, 2)
  let d = at(state, 3)
  let e = at(state, 4)
  let f = at(state, 5)
  let g = at(state, 6)
  let h = at(state, 7)
  for (let i = 0; i < 64; i++) {
    const choice = (e & f) ^ (~e & g)
    const first =
      (h +
        (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
        choice +
        at(roundConstants, i) +
        at(schedule, i)) |
      0
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  const result = Int32Array.of(a, b, c, d, e, f, g, h)
  for (let i = 0; i < 8; i++) result[i] = at(result, i) + at(state, i)
  return result
}

export const wordsOf = (bytes: Uint8Array): Int32Array => {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  return Int32Array.from({ length: bytes.length / 4 }, (_, index) => view.getInt32(index * 4))
}

export const bytesOf = (words: Int32Array): Uint8Array<ArrayBuffer> => {
  const view = new DataView(new ArrayBuffer(words.length * 4))
  words.forEach((word, index) => {
    view.setInt32(index * 4, word)
  })
  return new Uint8Array(view.buffer)
}

/** `from` is the state after `hashedBefore` bytes, which are whole blocks. */
export const digest = (message: Uint8Array, from: Int32Array = firstState, hashedBefore = 0): Int32Array => {
  const padded = new Uint8Array(Math.ceil((message.length + 9) / 64) * 64)
  padded.set(message)
  padded[message.length] = 0x80
  new DataView(padded.buffer).setBigUint64(padded.length - 8, BigInt(message.length + hashedBefore) * 8n)
  let state = from
  for (let start = 0; start < padded.length; start += 64) {
    state = compress(state, wordsOf(padded.subarray(start, start + 64)))
  }
  return state
}

export const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

/** Of a text in UTF-8, in lower-case hexadecimal. */
export const sha256 = (message: string): string => hex(bytesOf(digest(new TextEncoder().encode(message))))
