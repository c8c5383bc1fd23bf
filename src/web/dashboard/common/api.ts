/**
 * The public API, as the dashboard calls it. Types are those of the contract and nothing else of it: what it answers needs
 * no second description, and none of the server's code comes into the browser.
 *
 * When the session has ended, a call waits until somebody has signed in again and is then sent once more, so that nothing
 * typed is lost.
 */
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import type { Api } from "../../../api.ts"
import type { JsonObject, JsonText } from "../../../model.ts"

/** A value as it is in JSON: instants are ISO 8601 text there, and what is held as the text of an object is that object. */
export type Wire<T> = T extends Date
  ? string
  : T extends JsonText
    ? JsonObject
    : T extends ReadonlyArray<infer Item>
      ? ReadonlyArray<Wire<Item>>
      : T extends object
        ? { readonly [Key in keyof T]: Wire<T[Key]> }
        : T

type Groups = (typeof Api.groups)[string]
type GroupName = HttpApiGroup.HttpApiGroup.Name<Groups>
type EndpointsOf<G extends GroupName> = HttpApiGroup.HttpApiGroup.EndpointsWithName<Groups, G>
type EndpointName<G extends GroupName> = HttpApiEndpoint.HttpApiEndpoint.Name<EndpointsOf<G>>

/** What a route answers, such as `Answer<"api-keys", "list">`. */
export type Answer<G extends GroupName, E extends EndpointName<G>> = Wire<
  HttpApiEndpoint.HttpApiEndpoint.SuccessWithName<EndpointsOf<G>, E>
>

/** The body that a route takes. */
export type Body<G extends GroupName, E extends EndpointName<G>> = Wire<
  HttpApiEndpoint.HttpApiEndpoint.Payload<HttpApiEndpoint.HttpApiEndpoint.WithName<EndpointsOf<G>, E>>
>

/** Query parameters; what is undefined or empty is left out. */
export type Query = Readonly<Record<string, string | number | undefined>>

/** A call that was refused, or that did not get through. */
export class ApiFailure extends Error {
  /** Of the answer; 0 when there was none. */
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** What is told to the reader, whatever went wrong. */
export const failureOf = (cause: unknown): ApiFailure =>
  cause instanceof ApiFailure ? cause : new ApiFailure(0, "Something went wrong in this page. Reload it.")

const unreachable = "doorlock cannot be reached. Check your connection, then try again."

interface Answered {
  readonly status: number
  readonly body: unknown
  readonly retryAfter: string | null
}

const send = async (method: string, path: string, body: unknown, init: RequestInit): Promise<Answered> => {
  try {
    const response = await fetch(path, {
      ...init,
      method,
      credentials: "same-origin",
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...init.headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    return {
      status: response.status,
      retryAfter: response.headers.get("retry-after"),
      body: text === "" ? undefined : JSON.parse(text)
    }
  } catch (cause) {
    if (init.signal?.aborted) throw cause
    throw new ApiFailure(0, unreachable)
  }
}

const messageOf = ({ body, retryAfter, status }: Answered): string => {
  const said = typeof body === "object" && body !== null ? Reflect.get(body, "error") : undefined
  if (status === 429 && retryAfter !== null) return `Too many tries. Try again in ${retryAfter} seconds.`
  return typeof said === "string" ? said : `The server answered with ${status}.`
}

/** Asks the reader to sign in again; set by the app once it can. */
let signInAgain: (() => Promise<void>) | undefined

export const whenSignedOut = (ask: typeof signInAgain): void => {
  signInAgain = ask
}

export interface CallOptions {
  readonly query?: Query
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

const addressOf = (path: string, query: Query = {}): string => {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, String(value)]]
  )
  return parameters.length === 0 ? path : `${path}?${new URLSearchParams(parameters)}`
}

const call = async (method: string, path: string, body: unknown, options: CallOptions): Promise<unknown> => {
  const { headers, query, signal } = options
  const init = { ...(headers === undefined ? {} : { headers }), ...(signal === undefined ? {} : { signal }) }
  const address = addressOf(path, query)
  let answered = await send(method, address, body, init)
  // A wrong password is answered with 401 as well, by the routes that begin a session.
  while (answered.status === 401 && signInAgain !== undefined && !path.startsWith("/api/auth/login")) {
    await signInAgain()
    answered = await send(method, address, body, init)
  }
  if (answered.status >= 400) throw new ApiFailure(answered.status, messageOf(answered))
  return answered.body
}

/** Segments of a path with their ids put in: whatever is in them stays within its segment. */
export const path = (strings: TemplateStringsArray, ...ids: ReadonlyArray<string>): string =>
  String.raw({ raw: strings }, ...ids.map(encodeURIComponent))

// What a route answers is held to the contract by the server's tests; here it is believed.
export const get = <G extends GroupName, E extends EndpointName<G>>(
  path: string,
  options: CallOptions = {}
): Promise<Answer<G, E>> => call("GET", path, undefined, options) as Promise<Answer<G, E>>

/** Routes that take no fields are given none. */
export const post = <G extends GroupName, E extends EndpointName<G>>(
  path: string,
  body: Body<G, E>,
  options: CallOptions = {}
): Promise<Answer<G, E>> => call("POST", path, body, options) as Promise<Answer<G, E>>

export const patch = <G extends GroupName, E extends EndpointName<G>>(
  path: string,
  body: Body<G, E>,
  options: CallOptions = {}
): Promise<Answer<G, E>> => call("PATCH", path, body, options) as Promise<Answer<G, E>>
