/** Reads request bodies: JSON (contract.md#json-bodies), or raw bytes for routes that ask for them. */
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Context, Data, Effect, Stream } from "effect"
import { Deadlines, type Waiting } from "../../limits/deadlines.ts"
import { turnOfOthers } from "../../limits/turn-of-others.ts"
import { CurrentRequest } from "../../shared/current-request.ts"
import { parseJsonObject } from "../../shared/json.ts"
import { Timing } from "../../shared/timing.ts"
import { bodyDropped, bodyRejects, maxBodyBytes } from "../contract/refusals.ts"
import { type BodyBudget, bodyBudget, type Held, type Holder } from "./body-budget.ts"
import type { DirectError } from "./direct.ts"
import { enterLarge, inSteps, largeBytes } from "./large-bodies.ts"
import { sourceOf } from "./source.ts"

/** Bytes of each body that do not count. No sign-in and hardly any other request is larger. */
const smallBodyBytes = 16_384

/** 64 MiB per process, and 16 MiB per company or network. */
export class HeldBodies extends Context.Reference<HeldBodies>()("doorlock/http/HeldBodies", {
  defaultValue: (): BodyBudget => bodyBudget(64 * maxBodyBytes, 16 * maxBodyBytes, smallBodyBytes)
}) {}

/** Chunks after which other requests get a turn: thousands of small ones can arrive at once. */
const piecesAtOnce = 64

/** The body was refused before its fields were checked. */
export class BodyRejected extends Data.TaggedError("BodyRejected")<DirectError> {}

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i

const parse = (bytes: Uint8Array): object => {
  const body = parseJsonObject(bytes)
  if (body === undefined) throw new BodyRejected(bodyRejects.notAnObject)
  return body
}

type Look<A> = (body: object) => A

/** Reads a body until it ends or is refused, which may also happen while it waits for its turn. */
const takePieces = <A>(
  stream: ReadableStream<Uint8Array>,
  look: Look<A>,
  { begin, timing }: Taking
): Promise<A> => {
  const { promise, reject, resolve } = Promise.withResolvers<A>()
  const reader = stream.getReader()
  let isRefused = false
  let leave = () => {}
  const refuse = (refusal: ConstructorParameters<typeof BodyRejected>[0]) => {
    isRefused = true
    leave()
    reject(new BodyRejected(refusal))
    // Discard the rest. The stream may have ended already.
    reader.cancel().catch(() => {})
  }
  const timer = timing.after("http.body", () => refuse(bodyRejects.tooSlow))
  const held = begin(() => refuse(bodyDropped))

  const read = async () => {
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
    timer.cancel()
    if (isRefused) return
    const whole = bytes.end() as Uint8Array
    if (whole.length < largeBytes) {
      resolve(look(parse(whole)))
      return
    }
    leave = enterLarge(held.holder, () => {
      // From here on it cannot be dropped: the only body in memory that does not count.
      held.release()
      return inSteps(() => parse(whole), look).then(resolve, reject)
    })
  }
  const ended = () => {
    timer.cancel()
    held.release()
  }
  read().catch(reject)
  promise.then(ended, ended)
  return promise
}

const wholeBodies = new Deadlines(() => performance.now(), Timing.defaultValue())

/** Reads a whole body of known length. Calls one of the functions, once. */
const readWhole = (
  source: Request,
  timeout: number,
  resolve: (bytes: Uint8Array) => void,
  reject: (cause: unknown) => void
): void => {
  const waiting: Waiting = {
    timeout,
    since: Number.POSITIVE_INFINITY,
    place: -1,
    waits: () => {},
    late: () => {
      wholeBodies.delete(waiting)
      reject(new BodyRejected(bodyRejects.tooSlow))
    }
  }
  wholeBodies.add(waiting)
  const ended =
    <B>(settle: (value: B) => void) =>
    (value: B) => {
      // A late body has been refused already.
      if (wholeBodies.delete(waiting)) settle(value)
    }
  source.bytes().then(ended(resolve), ended(reject))
}

export interface Taking {
  readonly timing: Timing["Type"]
  /** Counts the body; the budget calls `drop` to make room for others. */
  readonly begin: (drop: () => void) => Held
}

/** The declared length, if any. Throws `BodyRejected` for a body that is refused unread. */
const lengthOf = ({ headers }: Request): number | undefined => {
  const length = headers.get("content-length")
  const declared = length === null ? undefined : Number(length)
  if (declared !== undefined && declared > maxBodyBytes) throw new BodyRejected(bodyRejects.tooLarge)
  const type = headers.get("content-type")
  if (type !== null && !jsonType.test(type)) throw new BodyRejected(bodyRejects.notJson)
  return declared
}

const failureOf = (cause: unknown): Effect.Effect<never, BodyRejected> => {
  if (cause instanceof BodyRejected) return Effect.fail(cause)
  // Any other error means that the connection broke within the body.
  return Effect.fail(new BodyRejected(bodyRejects.notAnObject))
}

/** Run it after the credential check. The body stays in memory only until `look` returns. */
export const bodyAs = <A>(
  request: HttpServerRequest.HttpServerRequest,
  look: Look<A>,
  taking: Taking
): Effect.Effect<A, BodyRejected> => {
  // An exception from `look` is a defect, not a fault of the body.
  const orDefect = (body: object): Effect.Effect<A> => {
    try {
      return Effect.succeed(look(body))
    } catch (defect) {
      return Effect.die(defect)
    }
  }
  return Effect.async((resume) => {
    const refuse = (cause: unknown) => resume(failureOf(cause))
    const attempt = (take: () => void) => {
      try {
        take()
      } catch (cause) {
        refuse(cause)
      }
    }
    attempt(() => {
      const source = sourceOf(request)
      const declared = lengthOf(source)
      // Only larger bodies are counted as they arrive.
      if (declared !== undefined && declared <= smallBodyBytes) {
        readWhole(
          source,
          taking.timing.timeout("http.body"),
          (bytes) => attempt(() => resume(orDefect(parse(bytes)))),
          refuse
        )
      } else if (source.body === null) resume(orDefect({}))
      else takePieces(source.body, orDefect, taking).then(resume, refuse)
    })
  })
}

/** The id of the authenticated company. */
export class CallingCompany extends Context.Tag("doorlock/http/CallingCompany")<CallingCompany, string>() {}

/** A KYC session token names no holder: it has not been looked up yet and may be made up. */
const holderOf = (services: Context.Context<never>): Holder => {
  const companyId = Context.getOption(services, CallingCompany)
  if (companyId._tag === "Some") return { companyId: companyId.value }
  return { address: Context.get(services, CurrentRequest).clientAddress() }
}

/** `bodyAs` of the current request. Its memory counts against the sender. */
export const heldBodyAs = <A>(look: (body: object) => A): Effect.Effect<A, BodyRejected> =>
  Effect.withFiberRuntime(({ currentContext: services }) => {
    const request = Context.unsafeGet(services, HttpServerRequest.HttpServerRequest)
    const bodies = Context.get(services, HeldBodies)
    const timing = Context.get(services, Timing)
    return bodyAs(request, look, { begin: (drop) => bodies.begin(holderOf(services), drop), timing })
  })

class BodyBroken extends Data.TaggedError("BodyBroken")<{ readonly cause: unknown }> {}

/** A body of bytes, neither read nor checked. */
export interface RawBody {
  /** From `Content-Length`; undefined if unknown. */
  readonly declared: number | undefined
  readonly bytes: Stream.Stream<Uint8Array, BodyBroken>
}

/** For a route that takes something other than JSON and checks the body itself. */
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
