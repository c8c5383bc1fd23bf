/**
 * Compression of answers (RFC 9110, section 12.5.3). Only what is declared to hold no secret is compressed: the length of a
 * compressed answer tells whoever can add a guess to it how much of the guess is in it (BREACH).
 */
import { promisify } from "node:util"
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  gzip,
  zstdCompress,
  zstdCompressSync
} from "node:zlib"

/** The codings that answers are sent in, the one that is sent where several are equally welcome first. */
export const codings = ["br", "zstd", "gzip"] as const

export type Coding = (typeof codings)[number]

/** Bytes from which on compression gains more than it costs. */
export const leastBytes = 1024

interface Preferences {
  readonly weightOf: (coding: string) => number
}

const parse = (header: string): Preferences => {
  const weights = new Map(
    header.split(",").map((part) => {
      const [name = "", ...parameters] = part
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/)
      const weight = parameters.find((parameter) => parameter.startsWith("q="))
      const given = weight === undefined ? 1 : Number(weight.slice(2))
      return [name === "x-gzip" ? "gzip" : name, given >= 0 && given <= 1 ? given : 0] as const
    })
  )
  const rest = weights.get("*")
  return {
    weightOf: (coding) =>
      weights.get(coding) ?? (coding === "identity" ? (rest === 0 ? 0 : 0.001) : (rest ?? 0))
  }
}

/**
 * The coding that an `Accept-Encoding` asks for most; undefined for the bytes as they are, which is also what somebody gets who
 * takes nothing that there is.
 */
export const codingFor = <C extends Coding>(
  header: string | null | undefined,
  offered: ReadonlyArray<C>
): C | undefined => {
  if (header === null || header === undefined || header.trim() === "") return undefined
  const { weightOf } = parse(header)
  let best: C | undefined
  let most = 0
  for (const coding of offered) {
    const weight = weightOf(coding)
    if (weight > most) {
      best = coding
      most = weight
    }
  }
  return best !== undefined && most >= weightOf("identity") ? best : undefined
}

/** Whether the bytes as they are will not do, so that even a short answer has to be compressed. */
export const refusesIdentity = (header: string): boolean => parse(header).weightOf("identity") === 0

const packWithBrotli = promisify(brotliCompress)
const packWithGzip = promisify(gzip)
const packWithZstd = promisify(zstdCompress)

/** From here on the best packing takes seconds, and gains a tenth. */
const largeBytes = 262_144

/** Packs what is kept. Asynchronous: packing a large document would hold up other requests. */
export const packToKeep: Readonly<Record<Coding, (bytes: Uint8Array) => Promise<Uint8Array>>> = {
  br: (bytes) =>
    packWithBrotli(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]:
          bytes.length > 4 * largeBytes ? 5 : bytes.length > largeBytes ? 9 : 11,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length
      }
    }),
  zstd: (bytes) =>
    packWithZstd(bytes, {
      params: { [constants.ZSTD_c_compressionLevel]: bytes.length > largeBytes ? 9 : 19 }
    }),
  gzip: (bytes) => packWithGzip(bytes, { level: 9 })
}

/** Packs an answer that is sent once: fast, in the thread that answers. */
export const packAtOnce: Readonly<Record<Coding, (bytes: Uint8Array<ArrayBuffer>) => Uint8Array>> = {
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  zstd: (bytes) => zstdCompressSync(bytes),
  gzip: (bytes) => Bun.gzipSync(bytes, { level: 4 })
}
