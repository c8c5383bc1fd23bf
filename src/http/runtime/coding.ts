/**
 * Compression of responses (RFC 9110, section 12.5.3). Only responses declared to hold no secret are compressed: an attacker who can
 * insert a guess into a response learns from its compressed length how much of the guess matches (BREACH).
 */
import { promisify } from "node:util"
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  gzip,
  gzipSync,
  zstdCompress,
  zstdCompressSync
} from "node:zlib"
import { Effect } from "effect"

/** The supported codings, the preferred one first. */
export const codings = ["br", "zstd", "gzip"] as const

export type Coding = (typeof codings)[number]

/** The smallest size in bytes worth compressing. */
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
 * The coding that an `Accept-Encoding` prefers. Undefined for an uncompressed response, also if the client accepts none of the offered
 * codings.
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

/** Whether the client refuses uncompressed responses, so that even a short one must be compressed. */
export const refusesIdentity = (header: string): boolean => parse(header).weightOf("identity") === 0

const packWithBrotli = promisify(brotliCompress)
const packWithGzip = promisify(gzip)
const packWithZstd = promisify(zstdCompress)

/** From this size on, the best compression takes seconds and saves only a tenth. */
const largeBytes = 262_144

type Pack = Readonly<Record<Coding, (bytes: Uint8Array) => Promise<Uint8Array>>>

/**
 * Compresses content that never changes while the process runs, as well as possible. It can take seconds, so never use it for content
 * that callers can cause to be rebuilt.
 */
export const packForGood: Pack = {
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

/** Runs at most two compressions at a time of content that callers can cause to be rebuilt, outside the main thread. */
const twoAtATime = Effect.unsafeMakeSemaphore(2).withPermits(1)

/** For content that is rebuilt now and then and sent often. Takes well under a tenth of the time of the best compression. */
const ofDocuments: Pack = {
  br: (bytes) =>
    packWithBrotli(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 4,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length
      }
    }),
  zstd: (bytes) => packWithZstd(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 3 } }),
  gzip: (bytes) => packWithGzip(bytes, { level: 6 })
}

/** Compresses a document that is cached until it changes. A failure is a defect. */
export const packDocument = (bytes: Uint8Array, coding: Coding): Effect.Effect<Uint8Array> =>
  twoAtATime(Effect.promise(() => ofDocuments[coding](bytes)))

/** The largest size in bytes to compress in the main thread; more would hold up other requests. */
const briefBytes = 32_768

const quickBrotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
const quickZstd = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
const quickGzip = { level: 1 }

const ofAnswers: Pack = {
  br: (bytes) => packWithBrotli(bytes, quickBrotli),
  zstd: (bytes) => packWithZstd(bytes, quickZstd),
  gzip: (bytes) => packWithGzip(bytes, quickGzip)
}

const ofBriefAnswers: Readonly<Record<Coding, (bytes: Uint8Array) => Uint8Array>> = {
  br: (bytes) => brotliCompressSync(bytes, quickBrotli),
  zstd: (bytes) => zstdCompressSync(bytes, quickZstd),
  gzip: (bytes) => gzipSync(bytes, quickGzip)
}

/** Compresses a response that is sent once. Uses the lowest level, because the client chooses the coding. A failure is a defect. */
export const packAnswer = (bytes: Uint8Array, coding: Coding): Effect.Effect<Uint8Array> =>
  bytes.length <= briefBytes
    ? Effect.sync(() => ofBriefAnswers[coding](bytes))
    : twoAtATime(Effect.promise(() => ofAnswers[coding](bytes)))
