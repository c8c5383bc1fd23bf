/**
 * How request bodies are taken in: JSON by the same rules for every route (decisions, section 1), and bytes
 * as they come, for the routes that ask for them.
 */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type Arrivals, arrivals } from "./arrivals.ts"
import { sourceOf } from "./source.ts"

/** Bytes of a JSON request body, at most: 1 MiB. A route may take less (`answers`). */
export const maxBodyBytes = 1_048_576

export const bodyRejects = {
  tooSlow: { status: 408, message: "Request body took too long" },
  notAnObject: { status: 400, message: "Request body must be a JSON object" },
  notJson: { status: 415, message: "Content-Type must be application/json" },
  tooLarge: { status: 413, message: "Request body is too large" }
} as const

/** For a body without a credential, when too much of such is held already. */
export const tooManyBodies = { status: 429, message: "Too many requests" } as const

/**
 * What this process holds of bodies whose sender has shown nothing yet: 64 MiB, 8 MiB of one address. The rest of the memory is for
 * who may use the service.
 */
const openArrivals = arrivals(64 * maxBodyBytes, 8 * maxBodyBytes)

/** Milliseconds within which a body has to be there, so that a slow sender holds neither a fiber nor a shutdown. */
const bodyDeadline = 15_000

/** The body itself was refused, before any field of it was looked at. */
export class BodyRejected extends Data.TaggedError("BodyRejected")<{
  readonly status: number
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}> {}

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i

const utf8 = new TextDecoder("utf-8", { fatal: true })

const parse = (bytes: Uint8Array): object => {
  if (bytes.length === 0) return {}
  let value: unknown
  try {
    value = JSON.parse(utf8.decode(bytes))
  } catch {
    throw new BodyRejected(bodyRejects.notAnObject)
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new BodyRejected(bodyRejects.notAnObject)
  }
  return value
}

/** Counts bytes that are held until a body has been read. */
type Hold = (bytes: number) => void

/** Reads a body piece by piece, and stops at the first byte too many. */
const readCounting = async (
  stream: ReadableStream<Uint8Array>,
  maxBytes: number,
  hold: Hold
): Promise<Uint8Array> => {
  const chunks: Array<Uint8Array> = []
  let length = 0
  const reader = stream.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      length += next.value.length
      if (length > maxBytes) throw new BodyRejected(bodyRejects.tooLarge)
      hold(next.value.length)
      chunks.push(next.value)
    }
  } catch (error) {
    await reader.cancel()
    throw error
  }
  return Buffer.concat(chunks, length)
}

const inTime = <A>(reading: Promise<A>): Promise<A> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new BodyRejected(bodyRejects.tooSlow)), bodyDeadline)
    reading.then(resolve, reject).finally(() => clearTimeout(timer))
  })

/** Bytes of a body without a credential that are held as soon as it is announced; of a longer one those that have come. */
const heldAtOnce = 16_384

/** Whose body it is, of a route that asks for no credential in front of it. */
export interface OpenBody {
  readonly address: string
}

const holding = (open: OpenBody | undefined, held: Arrivals) => {
  let bytes = 0
  return {
    hold: (more: number) => {
      if (open === undefined) return
      if (!held.take(open.address, more)) {
        throw new BodyRejected({ ...tooManyBodies, headers: { "retry-after": "1" } })
      }
      bytes += more
    },
    /** For when nothing more of the body can come: who is told that it took too long may still be sending. */
    release: () => {
      if (open !== undefined) held.giveBack(open.address, bytes)
    }
  }
}

const bytesOf = async (
  source: Request,
  declared: number | undefined,
  maxBytes: number,
  open: OpenBody | undefined
): Promise<Uint8Array> => {
  const { hold, release } = holding(open, openArrivals)
  try {
    // A body whose length is known is not made a stream, unless it has to be counted while it comes.
    if (declared !== undefined && (open === undefined || declared <= heldAtOnce)) {
      hold(declared)
      return await source.bytes()
    }
    return source.body === null ? new Uint8Array() : await readCounting(source.body, maxBytes, hold)
  } finally {
    release()
  }
}

const read = async (source: Request, maxBytes: number, open: OpenBody | undefined): Promise<object> => {
  const length = source.headers.get("content-length")
  const declared = length === null ? undefined : Number(length)
  if (declared !== undefined && declared > maxBytes) throw new BodyRejected(bodyRejects.tooLarge)
  const type = source.headers.get("content-type")
  if (type !== null && !jsonType.test(type)) throw new BodyRejected(bodyRejects.notJson)
  return parse(await inTime(bytesOf(source, declared, maxBytes, open)))
}

/**
 * The request's body, read by the rules above. What reads it comes after the credential has been checked.
 *
 * @param maxBytes of the route
 * @param open whose it is, where there is no credential: what is held of such bodies is bounded
 */
export const jsonBody = (
  request: HttpServerRequest.HttpServerRequest,
  maxBytes: number = maxBodyBytes,
  open?: OpenBody
): Effect.Effect<object, BodyRejected> =>
  Effect.tryPromise({
    try: () => read(sourceOf(request), maxBytes, open),
    // Anything else is a connection that broke off in the middle of the body.
    catch: (cause) => (cause instanceof BodyRejected ? cause : new BodyRejected(bodyRejects.notAnObject))
  })

/** The connection broke off in the middle of the body. */
export class BodyBroken extends Data.TaggedError("BodyBroken")<{ readonly cause: unknown }> {}

/** A body of bytes, of which nothing has been read yet and nothing is checked. */
export interface RawBody {
  /** Bytes by `Content-Length`; undefined for a body of unknown length. */
  readonly declared: number | undefined
  readonly bytes: Stream.Stream<Uint8Array, BodyBroken>
}

/** The body of a route that takes other things than JSON; what of it is acceptable is the route's own matter. */
export const rawBody = (request: HttpServerRequest.HttpServerRequest): RawBody => {
  const { body, headers } = sourceOf(request)
  const declared = headers.get("content-length")
  return {
    declared: declared === null ? undefined : Number(declared),
    bytes:
      body === null
        ? Stream.empty
        : Stream.fromReadableStream({
            evaluate: () => body,
            onError: (cause) => new BodyBroken({ cause })
          })
  }
}
