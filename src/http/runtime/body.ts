/**
 * How request bodies are taken in: JSON by the same rules for every route (contract.md#json-bodies), and bytes
 * as they come, for the routes that ask for them.
 */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { turnOfOthers } from "../../limits/turn-of-others.ts"
import { parsed } from "../../shared/json.ts"
import { type Fields, ObjectText } from "../contract/object-text.ts"
import { bodyDropped, bodyRejects, maxBodyBytes } from "../contract/refusals.ts"
import { largeBytes } from "./body-apart.ts"
import { type BodyBudget, bodyBudget, type Held } from "./body-budget.ts"
import { BodyThreadBroken, type TakeApart } from "./body-thread.ts"
import { enterLarge, inSteps } from "./large-bodies.ts"
import { sourceOf } from "./source.ts"

/** Bytes of each body that are held whatever else is: no sign-in has as many, and hardly another request. */
const smallBodyBytes = 16_384

/** What this process holds of the bodies of requests, besides what is small: 64 MiB, 16 MiB of one company or one network. */
export class HeldBodies extends Context.Reference<HeldBodies>()("doorlock/http/HeldBodies", {
  defaultValue: (): BodyBudget => bodyBudget(64 * maxBodyBytes, 16 * maxBodyBytes, smallBodyBytes)
}) {}

/** Has a body counted from now on. It is called with what drops the body to make room for others. */
type Begin = (drop: () => void) => Held

/** Milliseconds within which a body has to be there, so that a slow sender holds neither a fiber nor a shutdown. */
const bodyDeadline = 15_000

/** After so many chunks others have a turn: each takes time, however few bytes it has, and a client can have thousands arrive at once. */
const piecesAtOnce = 64

/** The body itself was refused, before any field of it was looked at. */
export class BodyRejected extends Data.TaggedError("BodyRejected")<{
  readonly status: number
  readonly message: string
  /** As `http/contract/error-code` has it. */
  readonly code: string
  readonly headers?: Readonly<Record<string, string>>
}> {}

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i

const parse = (bytes: Uint8Array): object => {
  const body = parsed(bytes)
  if (body === undefined) throw new BodyRejected(bodyRejects.notAnObject)
  return body
}

type Look<A> = (body: object) => A

/** What is made of the object in a large body: in a thread where that makes no objects of it. */
const madeOfLarge = async <A>(bytes: Uint8Array, look: Look<A>, apart: Taking["apart"]): Promise<A> => {
  if (apart === undefined) return inSteps(() => parse(bytes), look)
  const taken = await apart.take(bytes, apart.fields)
  switch (taken.is) {
    case "refused":
      throw new BodyRejected(bodyRejects.notAnObject)
    case "large otherwise":
      return inSteps(() => parse(bytes), look)
    case "apart": {
      const texts = Object.entries(taken.texts).map(([name, text]) => [name, new ObjectText(text)])
      return look({ ...JSON.parse(taken.others), ...Object.fromEntries(texts) })
    }
  }
}

/** Takes in a body piece by piece, until it is refused; a large one can be refused also while it waits for its turn. */
const takePieces = <A>(
  stream: ReadableStream<Uint8Array>,
  look: Look<A>,
  { apart, begin }: Taking
): Promise<A> => {
  const { promise, reject, resolve } = Promise.withResolvers<A>()
  const reader = stream.getReader()
  let isRefused = false
  let leave = () => {}
  const refuse = (refusal: ConstructorParameters<typeof BodyRejected>[0]) => {
    isRefused = true
    leave()
    reject(new BodyRejected(refusal))
    // What still comes is not kept. That a stream has ended meanwhile is no matter.
    reader.cancel().catch(() => {})
  }
  const timer = setTimeout(() => refuse(bodyRejects.tooSlow), bodyDeadline)
  const held = begin(() => refuse(bodyDropped))

  const read = async () => {
    // One piece of memory, however small the chunks are.
    const bytes = new Bun.ArrayBufferSink()
    bytes.start({ asUint8Array: true })
    let length = 0
    let pieces = 0
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      length += next.value.length
      pieces += 1
      if (length > maxBodyBytes) {
        refuse(bodyRejects.tooLarge)
        return
      }
      bytes.write(next.value)
      held.hold(next.value.length)
      if (pieces % piecesAtOnce === 0) await turnOfOthers()
    }
    clearTimeout(timer)
    if (isRefused) return
    const whole = bytes.end() as Uint8Array
    if (whole.length < largeBytes) {
      resolve(look(parse(whole)))
      return
    }
    leave = enterLarge(held.holder, () => {
      // From now on it cannot be dropped. It is the only one that is held and does not count.
      held.release()
      return madeOfLarge(whole, look, apart).then(resolve, reject)
    })
  }
  const ended = () => {
    clearTimeout(timer)
    held.release()
  }
  read().catch(reject)
  promise.then(ended, ended)
  return promise
}

/** Reads a body of a known length at once. */
const readWhole = (source: Request): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new BodyRejected(bodyRejects.tooSlow)), bodyDeadline)
    source
      .bytes()
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })

export interface Taking {
  /** Of bodies only so much is held. */
  readonly begin: Begin
  /** Of a body with objects that are wanted as text. */
  readonly apart?: { readonly fields: Fields; readonly take: TakeApart } | undefined
}

const read = async <A>(source: Request, look: Look<A>, taking: Taking): Promise<A> => {
  const length = source.headers.get("content-length")
  const declared = length === null ? undefined : Number(length)
  if (declared !== undefined && declared > maxBodyBytes) throw new BodyRejected(bodyRejects.tooLarge)
  const type = source.headers.get("content-type")
  if (type !== null && !jsonType.test(type)) throw new BodyRejected(bodyRejects.notJson)
  // Only of larger ones the bytes have to be counted as they come.
  if (declared !== undefined && declared <= smallBodyBytes) {
    return look(parse(await readWhole(source)))
  }
  return source.body === null ? look({}) : takePieces(source.body, look, taking)
}

/**
 * What `look` makes of the request's body, read by the rules above. What reads it comes after the credential has been checked. The body
 * itself is held no longer than that takes.
 */
export const bodyAs = <A>(
  request: HttpServerRequest.HttpServerRequest,
  look: Look<A>,
  taking: Taking
): Effect.Effect<A, BodyRejected> => {
  // That `look` throws is no fault of the body.
  const orDefect = (body: object): Effect.Effect<A> => {
    try {
      return Effect.succeed(look(body))
    } catch (defect) {
      return Effect.die(defect)
    }
  }
  return Effect.tryPromise({
    try: () => read(sourceOf(request), orDefect, taking),
    catch: (cause) => cause
  }).pipe(
    Effect.catchAll((cause) => {
      if (cause instanceof BodyRejected) return Effect.fail(cause)
      if (cause instanceof BodyThreadBroken) return Effect.die(cause)
      // Anything else is a connection that broke off in the middle of the body.
      return Effect.fail(new BodyRejected(bodyRejects.notAnObject))
    }),
    Effect.flatten
  )
}

/** The connection broke off in the middle of the body. */
class BodyBroken extends Data.TaggedError("BodyBroken")<{ readonly cause: unknown }> {}

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
