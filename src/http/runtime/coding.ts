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
import { Effect, Record } from "effect"

/** The supported codings, the preferred one first. */
export const codings = ["br", "zstd", "gzip"] as const

export type Coding = (typeof codings)[number]

/** The smallest size in bytes worth compressing. */
export const leastBytes = 1024

/** The weight that an `Accept-Encoding` gives a coding. */
const weighing = (header: string): ((coding: string) => number) => {
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
  return (coding) => weights.get(coding) ?? (coding === "identity" ? (rest === 0 ? 0 : 0.001) : (rest ?? 0))
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
  const weightOf = weighing(header)
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
export const refusesIdentity = (header: string): boolean => weighing(header)("identity") === 0

/** The options of `node:zlib` for a level of effort. */
const brotliOptions = (level: number, bytes: Uint8Array) => ({
  params: { [constants.BROTLI_PARAM_QUALITY]: level, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
})
const zstdOptions = (level: number) => ({ params: { [constants.ZSTD_c_compressionLevel]: level } })

const packWithBrotli = promisify(brotliCompress)
const packWithGzip = promisify(gzip)
const packWithZstd = promisify(zstdCompress)

type Levels = Readonly<Record<Coding, number>>

/** Compresses outside the main thread. */
const pack = {
  br: (bytes: Uint8Array, { br }: Levels) => packWithBrotli(bytes, brotliOptions(br, bytes)),
  zstd: (bytes: Uint8Array, { zstd }: Levels) => packWithZstd(bytes, zstdOptions(zstd)),
  gzip: (bytes: Uint8Array, { gzip }: Levels) => packWithGzip(bytes, { level: gzip })
}

const packSync = {
  br: (bytes: Uint8Array, { br }: Levels) => brotliCompressSync(bytes, brotliOptions(br, bytes)),
  zstd: (bytes: Uint8Array, { zstd }: Levels) => zstdCompressSync(bytes, zstdOptions(zstd)),
  gzip: (bytes: Uint8Array, { gzip }: Levels) => gzipSync(bytes, { level: gzip })
}

/** From this size on, the best compression takes seconds and saves only a tenth. */
const largeBytes = 262_144

const best = (size: number): Levels => ({
  br: size > 4 * largeBytes ? 5 : size > largeBytes ? 9 : 11,
  zstd: size > largeBytes ? 9 : 19,
  gzip: 9
})

/** Takes well under a tenth of the time of the best compression. */
const medium: Levels = { br: 4, zstd: 3, gzip: 6 }

const quickest: Levels = { br: 1, zstd: 1, gzip: 1 }

/**
 * Compresses content that never changes while the process runs, as well as possible. It can take seconds, so never use it for content
 * that callers can cause to be rebuilt.
 */
export const packForGood = Record.map(
  pack,
  (packOne) => (bytes: Uint8Array) => packOne(bytes, best(bytes.length))
)

/** Runs at most two compressions at a time of content that callers can cause to be rebuilt, outside the main thread. */
const twoAtATime = Effect.unsafeMakeSemaphore(2).withPermits(1)

/** Compresses a document that is cached until it changes. A failure is a defect. */
export const packDocument = (bytes: Uint8Array, coding: Coding): Effect.Effect<Uint8Array> =>
  twoAtATime(Effect.promise(() => pack[coding](bytes, medium)))

/** The largest size in bytes to compress in the main thread; more would hold up other requests. */
const briefBytes = 32_768

/** Compresses a response that is sent once. Uses the lowest level, because the client chooses the coding. A failure is a defect. */
export const packAnswer = (bytes: Uint8Array, coding: Coding): Effect.Effect<Uint8Array> =>
  bytes.length <= briefBytes
    ? Effect.sync(() => packSync[coding](bytes, quickest))
    : twoAtATime(Effect.promise(() => pack[coding](bytes, quickest)))
