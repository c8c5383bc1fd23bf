/** Sends requests: credentials, timeouts, retries and errors. */
import { ApiError, ConnectionError, DoorlockError, TimeoutError } from "./errors.ts"
import { after, longestTimer, times, wait } from "./timing.ts"

/** What may be wrong with a call that succeeded. */
export interface Warning {
  /** As in the header `doorlock-warnings`. New ones may be added. */
  readonly code: string
  readonly message: string
}

/** The header has only codes. */
const warningMessages: Readonly<Record<string, string>> = {
  "unknown-scope": "A scope of the key permits nothing: no route asks for it.",
  "expires-in-the-past": "The key has expired: its expiry is in the past.",
  "every-scope": "The key permits everything but what has to be named, because no scopes were given."
}

const warningsOf = ({ headers }: Response): ReadonlyArray<Warning> =>
  (headers.get("doorlock-warnings") ?? "")
    .split(/, */)
    .filter(Boolean)
    .map((code) => ({ code, message: warningMessages[code] ?? `doorlock warns: ${code}` }))

// biome-ignore lint/suspicious/noConsole: the caller can take its place.
const warn = ({ message }: Warning) => console.warn(message)

export interface ClientOptions {
  /** Where doorlock is, such as `https://doorlock.example.com`. In a page of the same origin: an empty string. */
  readonly baseUrl: string
  /** A platform API key, `dlk_...`. It is secret: never send it to a browser. */
  readonly apiKey?: string | undefined
  /** The token of a signed-in user, for routes that take no API key. In a browser, the cookie takes its place. */
  readonly token?: string | undefined
  /** How long one attempt may take, in milliseconds; `Infinity` sets no limit. Default: 30 seconds. */
  readonly timeout?: number | undefined
  /** How often a call that failed is repeated, if that is safe. Default: 2. */
  readonly maxRetries?: number | undefined
  /** The longest wait before a repetition, in milliseconds. If `Retry-After` asks for more, the call fails. Default: 30 seconds. */
  readonly maxRetryDelay?: number | undefined
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Told what may be wrong with a call that succeeded, such as a key that permits nothing. Default: `console.warn`. */
  readonly onWarning?: ((warning: Warning) => void) | undefined
  /** Takes the place of the global `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
}

/** Options of one call. `timeout`, `maxRetries`, `maxRetryDelay` and `token` replace those of the client. */
export interface CallOptions
  extends Pick<ClientOptions, "timeout" | "maxRetries" | "maxRetryDelay" | "token" | "headers"> {
  /** Ends the call, also between attempts. It then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** In browsers: whether the request goes on after the page is closed. Its body is then limited to 64 KiB. */
  readonly keepalive?: boolean | undefined
}

/** For calls that can be repeated without a second effect. */
export interface IdempotentOptions extends CallOptions {
  /** Default: a new one for each call. Store your own to repeat the call after a crash. */
  readonly idempotencyKey?: string | undefined
}

/** For calls that need the token of a KYC session, `kyc_sess_...`. */
export interface SessionTokenOptions extends CallOptions {
  readonly token: string
}

interface ApiRequest {
  readonly method: string
  /** The path and the query. */
  readonly path: string
  /** JSON, or a file. */
  readonly body?: unknown
  /** Whether the route takes an `Idempotency-Key`. */
  readonly idempotent: boolean
  /** Whether the result is the response itself, whose body is not JSON. */
  readonly raw: boolean
}

export interface Answer<Data> {
  readonly data: Data
  /** Its body has been read, unless `data` is the response. */
  readonly response: Response
}

/** Sends a request, and repeats it if that is safe. */
export type Connection = (request: ApiRequest, options: IdempotentOptions) => Promise<Answer<unknown>>

/**
 * The token of the user who has just signed in or signed up, for `token` of a client: from the response's cookie. Undefined in a
 * browser, which keeps the cookie and sends it by itself.
 */
export const userTokenOf = ({ headers }: Response): string | undefined =>
  /(?:^|, )dashboard_session=([^;]+)/.exec(headers.get("set-cookie") ?? "")?.[1]

/** A UUID. `crypto.randomUUID` exists only on https. */
const uuid = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const hex = Array.from(bytes, (byte, at) =>
    (at === 6 ? (byte & 15) | 64 : at === 8 ? (byte & 63) | 128 : byte).toString(16).padStart(2, "0")
  )
  return hex.join("").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
}

const contentOf = (body: unknown): Pick<RequestInit, "body" | "headers"> => {
  if (body === undefined) return {}
  // A file brings its own content type.
  return body instanceof Blob
    ? { body }
    : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }
}

/** Never throws: something other than doorlock may have answered. */
const errorOf = async (response: Response, requestId: string): Promise<ApiError> => {
  const text = await response.text().catch(() => "")
  let message = `The server answered with ${response.status}.`
  try {
    const { error } = JSON.parse(text)
    if (typeof error === "string") message = error
  } catch {
    // Not JSON.
  }
  const code = response.headers.get("doorlock-error") ?? "unknown"
  // The cast: a newer doorlock may have codes that this package does not know.
  return new ApiError(message, requestId, code as ApiError["code"], response)
}

/**
 * Whether to repeat a request. A refusal that names a time had no effect, so any request may follow it. After any other failure it
 * is unknown whether the request had an effect, so only one without a second effect is repeated.
 */
const isRepeatable = (error: unknown, harmless: boolean): error is DoorlockError => {
  if (!(error instanceof ApiError)) return error instanceof DoorlockError && harmless
  const isDelayed = error.retryAfter !== undefined && [429, 503].includes(error.status)
  // A proxy may give up on a request that doorlock goes on with.
  if (isDelayed && error.code !== "unknown") return true
  // The first attempt is still in progress, though its answer is lost.
  const isInProgress = error.code === "request-in-progress"
  return harmless && (isDelayed || isInProgress || [502, 503, 504].includes(error.status))
}

/** Each is a little shorter, so that clients spread out. */
const backoff = (repetition: number): number =>
  Math.min(times.backoff * 2 ** repetition, times.longestBackoff) * (1 - Math.random() / 4)

/** A connection to doorlock, for `createClient` and for single groups. Sends nothing yet. */
export const connect = (options: ClientOptions): Connection => {
  const baseUrl = options.baseUrl.replace(/\/+$/, "")

  return async (request, callOptions) => {
    const {
      headers,
      idempotencyKey = request.idempotent ? uuid() : undefined,
      keepalive,
      maxRetries = options.maxRetries ?? 2,
      maxRetryDelay = options.maxRetryDelay ?? times.longestRetryDelay,
      signal,
      timeout = options.timeout ?? times.timeout,
      token = options.token
    } = callOptions
    const requestId = uuid()
    const content = contentOf(request.body)
    const init: RequestInit = {
      ...content,
      method: request.method,
      // doorlock never redirects, and another server must not get the key.
      redirect: "manual",
      ...(keepalive === undefined ? {} : { keepalive }),
      headers: {
        "x-request-id": requestId,
        ...(options.apiKey === undefined ? {} : { "x-api-key": options.apiKey }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
        ...content.headers,
        ...options.headers,
        ...headers
      }
    }

    const isLimited = timeout <= longestTimer
    const attempt = async (): Promise<Answer<unknown>> => {
      const late = new AbortController()
      const cancel = isLimited ? after(timeout, () => late.abort()) : undefined
      try {
        const response = await (options.fetch ?? fetch)(baseUrl + request.path, {
          ...init,
          signal:
            signal !== undefined && isLimited
              ? AbortSignal.any([signal, late.signal])
              : (signal ?? late.signal)
        })
        if (!response.ok) throw await errorOf(response, requestId)
        warningsOf(response).forEach(options.onWarning ?? warn)
        if (request.raw) return { data: response, response }
        const text = await response.text()
        try {
          return { data: JSON.parse(text), response }
        } catch {
          throw new ApiError("The response is not JSON.", requestId, "unknown", response)
        }
      } catch (cause) {
        if (signal?.aborted) throw signal.reason
        if (late.signal.aborted)
          throw new TimeoutError(`No answer within ${timeout} milliseconds.`, requestId, cause)
        if (cause instanceof DoorlockError) throw cause
        throw new ConnectionError("doorlock cannot be reached.", requestId, cause)
      } finally {
        cancel?.()
      }
    }

    const harmless = request.method === "GET" || idempotencyKey !== undefined
    for (let repetition = 0; ; repetition++) {
      signal?.throwIfAborted()
      try {
        return await attempt()
      } catch (error) {
        if (repetition >= maxRetries || !isRepeatable(error, harmless)) throw error
        const asked = error instanceof ApiError ? error.retryAfter : undefined
        const delay = asked === undefined ? backoff(repetition) : asked * 1000
        if (delay > maxRetryDelay) throw error
        await wait(delay, signal)
      }
    }
  }
}
