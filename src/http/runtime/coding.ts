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
  gzipSync,
  zstdCompress,
  zstdCompressSync
} from "node:zlib"
import * as Effect from "effect/Effect"

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
 * The coding that an `Accept-Encoding` asks for most; undefined for an uncompressed answer, also when no offered coding is
 * acceptable.
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

/** Whether the client refuses an uncompressed answer, so that even a short one has to be compressed. */
export const refusesIdentity = (header: string): boolean => parse(header).weightOf("identity") === 0

const packWithBrotli = promisify(brotliCompress)
const packWithGzip = promisify(gzip)
const packWithZstd = promisify(zstdCompress)

/** From here on the best compression takes seconds, and gains a tenth. */
const largeBytes = 262_144

type Pack = Readonly<Record<Coding, (bytes: Uint8Array) => Promise<Uint8Array>>>

/**
 * Compresses what stays the same for as long as the process runs, as well as it can be done. It takes up to seconds: never for
 * what callers can have made anew.
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

/** What callers can have made anew is compressed two at a time, outside of the thread that answers. */
const twoAtATime = Effect.unsafeMakeSemaphore(2).withPermits(1)

/** For what is made anew now and then, and sent many times: in well under a tenth of the time of the best. */
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

/** Compresses a document that is kept until it changes. That it cannot be done is a defect. */
export const packDocument = (bytes: Uint8Array, coding: Coding): Effect.Effect<Uint8Array> =>
  twoAtATime(Effect.promise(() => ofDocuments[coding](bytes)))

/** Bytes that are compressed in the thread that answers: longer ones would hold up other requests. */
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

/** Compresses an answer that is sent once: at the lowest level, for the client chooses the coding. A failure is a defect. */
export const packAnswer = (bytes: Uint8Array, coding: Coding): Effect.Effect<Uint8Array> =>
  bytes.length <= briefBytes
    ? Effect.sync(() => ofBriefAnswers[coding](bytes))
    : twoAtATime(Effect.promise(() => ofAnswers[coding](bytes)))
