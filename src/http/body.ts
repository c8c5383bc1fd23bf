/**
 * How request bodies are taken in: JSON by the same rules for every route (decisions, section 1), and bytes
 * as they come, for the routes that ask for them.
 */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { sourceOf } from "./source.ts"

/** Bytes of a JSON request body, at most: 1 MiB. */
export const maxBodyBytes = 1_048_576

export const bodyRejects = {
  tooSlow: { status: 408, message: "Request body took too long", code: "body-too-slow" },
  notAnObject: { status: 400, message: "Request body must be a JSON object", code: "body-not-an-object" },
  notJson: { status: 415, message: "Content-Type must be application/json", code: "body-not-json" },
  tooLarge: { status: 413, message: "Request body is too large", code: "body-too-large" }
} as const

/** Milliseconds within which a body has to be there, so that a slow sender holds neither a fiber nor a shutdown. */
const bodyDeadline = 15_000

/** The body itself was refused, before any field of it was looked at. */
export class BodyRejected extends Data.TaggedError("BodyRejected")<{
  readonly status: number
  readonly message: string
  /** As `http/error-code` has it. */
  readonly code: string
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

/** Bytes from which on a body keeps the process busy for some milliseconds, and then again whoever looks at what is in it. */
const largeBytes = 65_536

/** The object in the body. After a large one all others have their turn before anything is done with it. */
const parsed = async (bytes: Uint8Array): Promise<object> => {
  const body = parse(bytes)
  if (bytes.length >= largeBytes) await new Promise((resolve) => setImmediate(resolve))
  return body
}

/** Reads a body of unknown length and stops at the first byte too many. */
const readCounting = async (stream: ReadableStream<Uint8Array>): Promise<Uint8Array> => {
  const chunks: Array<Uint8Array> = []
  let length = 0
  const reader = stream.getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    length += next.value.length
    if (length > maxBodyBytes) {
      await reader.cancel()
      throw new BodyRejected(bodyRejects.tooLarge)
    }
    chunks.push(next.value)
  }
  return Buffer.concat(chunks, length)
}

const inTime = <A>(reading: Promise<A>): Promise<A> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new BodyRejected(bodyRejects.tooSlow)), bodyDeadline)
    reading.then(resolve, reject).finally(() => clearTimeout(timer))
  })

const read = async (source: Request): Promise<object> => {
  const declared = source.headers.get("content-length")
  if (declared !== null && Number(declared) > maxBodyBytes) throw new BodyRejected(bodyRejects.tooLarge)
  const type = source.headers.get("content-type")
  if (type !== null && !jsonType.test(type)) throw new BodyRejected(bodyRejects.notJson)
  // A body whose length is known is not made a stream.
  if (declared !== null) return parsed(await inTime(source.bytes()))
  return source.body === null ? {} : parsed(await inTime(readCounting(source.body)))
}

/** The request's body, read by the rules above. What reads it comes after the credential has been checked. */
export const jsonBody = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<object, BodyRejected> =>
  Effect.tryPromise({
    try: () => read(sourceOf(request)),
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
