/** Calls the public API by route name: `call("api-keys.revoke", { path: { id } })`. */
import { object } from "../../json.ts"
import type { Answer, Arguments, Call, RouteAddress, RouteName } from "./contract.ts"

/** The contract's routes; the bundler replaces this name with the table (`pages/dashboard.ts`). */
declare const contractRoutes: Readonly<Record<RouteName, readonly [method: string, path: string]>>

/** The only use of `contractRoutes`: the bundler inserts the whole table at each use. */
const routeOf = (name: RouteName) => contractRoutes[name]

/** A call that was refused or got no response. */
export class ApiFailure extends Error {
  /** 0 if there was no response. */
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** What to tell the user about any error. */
export const failureOf = (cause: unknown): ApiFailure =>
  cause instanceof ApiFailure ? cause : new ApiFailure(0, "Something went wrong on this page. Reload it.")

const unreachable = "doorlock cannot be reached. Check your connection, then try again."

const send = async (address: string, init: RequestInit) => {
  try {
    const response = await fetch(address, init)
    const text = await response.text()
    const body: unknown = text === "" ? undefined : JSON.parse(text)
    return { status: response.status, retryAfter: response.headers.get("retry-after"), body }
  } catch (cause) {
    if (init.signal?.aborted) throw cause
    throw new ApiFailure(0, unreachable)
  }
}

const messageOf = ({ body, retryAfter, status }: Awaited<ReturnType<typeof send>>): string => {
  if (status === 429 && retryAfter !== null) return `Too many attempts. Try again in ${retryAfter} seconds.`
  const { error } = object(body)
  return typeof error === "string" ? error : `The server answered with ${status}.`
}

/** Asks the user to sign in again; set by the app while somebody is signed in. */
let signInAgain: (() => Promise<void>) | undefined

export const whenSignedOut = (ask: typeof signInAgain): void => {
  signInAgain = ask
}

/** The address of a route. A path parameter cannot leave its segment. */
export const addressOf = <N extends RouteName>(name: N, ...[given]: Arguments<RouteAddress<N>>): string => {
  const {
    path: parameters = {},
    query = {}
  }: { path?: Record<string, string>; query?: Record<string, string | number | undefined> } = given ?? {}
  const path = routeOf(name)[1].replace(/:(\w+)/g, (_, parameter: string) =>
    encodeURIComponent(parameters[parameter] ?? "")
  )
  const asked = Object.entries(query).flatMap(([key, value]) =>
    value === undefined || value === "" ? [] : [[key, String(value)]]
  )
  return asked.length === 0 ? path : `${path}?${new URLSearchParams(asked)}`
}

/**
 * Calls a route. Rejects with `ApiFailure`. If the dashboard session has expired, waits until the user has signed in
 * again and repeats the call, so that no input is lost. Does not validate the response: the server's tests do.
 */
export const call = async <N extends RouteName>(
  name: N,
  ...given: Arguments<Call<N>>
): Promise<Answer<N>> => {
  const [method] = routeOf(name)
  const {
    body,
    headers,
    keepalive = false,
    signal
  }: {
    body?: unknown
    headers?: Record<string, string>
    keepalive?: boolean
    signal?: AbortSignal
  } = given[0] ?? {}
  const address = addressOf(name, ...(given as Arguments<RouteAddress<N>>))
  const init = {
    method,
    signal: signal ?? null,
    keepalive,
    headers: { ...(method === "GET" ? {} : { "content-type": "application/json" }), ...headers },
    ...(method === "GET" ? {} : { body: JSON.stringify(body ?? {}) })
  }
  let answered = await send(address, init)
  // The login route also responds with 401, to a wrong password.
  while (answered.status === 401 && signInAgain !== undefined && name !== "sign-in.login") {
    await signInAgain()
    answered = await send(address, init)
  }
  if (answered.status >= 400) throw new ApiFailure(answered.status, messageOf(answered))
  return answered.body as Answer<N>
}

/**
 * Downloads a file. `onProgress` gets the bytes that have arrived, and their total if the server says it. Rejects with
 * `ApiFailure`; waits like `call` if the dashboard session has expired.
 */
export const download = async (
  address: string,
  signal: AbortSignal,
  onProgress: (loaded: number, total: number | undefined) => void
): Promise<Blob> => {
  const ask = async () => {
    const response = await fetch(address, { signal })
    if (!response.ok || response.body === null) return response
    const total = Number(response.headers.get("content-length")) || undefined
    const parts: Array<Uint8Array<ArrayBuffer>> = []
    let loaded = 0
    for await (const part of response.body) {
      parts.push(part)
      loaded += part.length
      onProgress(loaded, total)
    }
    return new Blob(parts, { type: response.headers.get("content-type") ?? "" })
  }
  try {
    let answered = await ask()
    while (answered instanceof Response && answered.status === 401 && signInAgain !== undefined) {
      await signInAgain()
      answered = await ask()
    }
    if (answered instanceof Blob) return answered
    throw new ApiFailure(answered.status, `The server answered with ${answered.status}.`)
  } catch (cause) {
    if (signal.aborted || cause instanceof ApiFailure) throw cause
    throw new ApiFailure(0, unreachable)
  }
}
