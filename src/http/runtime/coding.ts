/**
 * Compression (RFC 9110, section 12.5.3), only of responses declared to contain no secret. The compressed length
 * tells an attacker who can insert a guess into a response how much of the guess is right (BREACH).
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

/** Supported codings, preferred one first. */
export const codings = ["br", "zstd", "gzip"] as const

export type Coding = (typeof codings)[number]

/** The smallest size worth compressing. */
export const leastBytes = 1024

/** The weight of each coding in an `Accept-Encoding`. */
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
  // `*` names no coding, so it gets the one that every client knows: many that send it cannot decode brotli or zstd.
  const unnamed: Readonly<Record<string, number>> = { identity: rest === 0 ? 0 : 0.001, gzip: rest ?? 0 }
  return (coding) => weights.get(coding) ?? unnamed[coding] ?? 0
}

/** Undefined for an uncompressed response, even if the client accepts none of the offered codings. */
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

/** Whether the client refuses uncompressed responses, even short ones. */
export const refusesIdentity = (header: string): boolean => weighing(header)("identity") === 0

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

/** Takes less than a tenth of the time of `best`. */
const medium: Levels = { br: 4, zstd: 3, gzip: 6 }

const quickest: Levels = { br: 1, zstd: 1, gzip: 1 }

/** The best compression. It may take seconds, so only for content that never changes while the process runs. */
export const packForGood = Record.map(
  pack,
  (packOne) => (bytes: Uint8Array) => packOne(bytes, best(bytes.length))
)

/** For content that clients can cause to be compressed. */
const twoAtATime = Effect.unsafeMakeSemaphore(2).withPermits(1)

/** Compresses a document that is cached until it changes. */
export const packDocument = (bytes: Uint8Array, coding: Coding): Effect.Effect<Uint8Array> =>
  twoAtATime(Effect.promise(() => pack[coding](bytes, medium)))

/** The largest size to compress in the main thread without delaying other requests. */
const briefBytes = 32_768

/** Compresses a response that is sent once: quickly, because any client can ask for it. */
export const packAnswer = (bytes: Uint8Array, coding: Coding): Effect.Effect<Uint8Array> =>
  bytes.length <= briefBytes
    ? Effect.sync(() => packSync[coding](bytes, quickest))
    : twoAtATime(Effect.promise(() => pack[coding](bytes, quickest)))
