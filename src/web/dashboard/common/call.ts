/** Calls the public API by its client: `doorlock.apiKeys.revoke(id)`. */
import * as client from "../../../client/package/index.ts"
import { after, dashboardTimes } from "../../timing.ts"

/** A call that was refused or got no response. */
export class ApiFailure extends Error {
  /** 0 if there was no response. */
  readonly status: number
  /** The API's code, if it has refused the call. */
  readonly code: string | undefined
  constructor(status: number, message: string, code?: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

const unreachable = "doorlock cannot be reached. Check your connection, then try again."

/** Such as "1 second" or "15 minutes". */
const duration = (seconds: number): string => {
  if (seconds > 120) return `${Math.ceil(seconds / 60)} minutes`
  return seconds === 1 ? "1 second" : `${seconds} seconds`
}

const refused = ({ code, message, retryAfter, status }: client.ApiError): ApiFailure =>
  new ApiFailure(
    status,
    status === 429 && retryAfter !== undefined
      ? `Too many attempts. Try again in ${duration(retryAfter)}.`
      : message,
    code
  )

/** What to tell the user about any error. */
export const failureOf = (cause: unknown): ApiFailure => {
  if (cause instanceof ApiFailure) return cause
  if (cause instanceof client.ApiError) return refused(cause)
  return new ApiFailure(
    0,
    cause instanceof client.DoorlockError ? unreachable : "Something went wrong on this page. Reload it."
  )
}

/** Asks the user to sign in again; set by the app while somebody is signed in. */
let signInAgain: (() => Promise<void>) | undefined

export const whenSignedOut = (ask: typeof signInAgain): void => {
  signInAgain = ask
}

/** Gives up on a connection that died without a sign, which would be waited for without end. The body of a response may take longer. */
const answered = async (url: string, init: RequestInit): Promise<Response> => {
  const late = new AbortController()
  const timer = after(dashboardTimes.answer, () => late.abort())
  try {
    return await fetch(url, { ...init, signal: AbortSignal.any([late.signal, init.signal ?? late.signal]) })
  } finally {
    timer.cancel()
  }
}

/** If the dashboard session has expired, waits until the user has signed in again and repeats the request, so that no input is lost. */
const signedIn: client.ClientOptions["fetch"] = async (url, init) => {
  let response = await answered(url, init)
  // The login route also responds with 401, to a wrong password.
  while (response.status === 401 && signInAgain !== undefined && url !== "/api/auth/login") {
    await signInAgain()
    response = await answered(url, init)
  }
  return response
}

/**
 * With the cookie of the signed-in user. Users see every failure at once, and decide whether to try again. A call has no timeout of its
 * own, because it may wait until the user has signed in again.
 */
const connection = client.connect({
  baseUrl: "",
  fetch: signedIn,
  // The pages show them.
  onWarning: () => {},
  maxRetries: 0,
  timeout: Number.POSITIVE_INFINITY
})

/** The groups of routes that the dashboard uses: each one makes every page larger. */
export const doorlock = {
  account: client.account(connection),
  apiKeys: client.apiKeys(connection),
  auditEvents: client.auditEvents(connection),
  catalog: client.catalog(connection),
  events: client.events(connection),
  figures: client.figures(connection),
  files: client.files(connection),
  instances: client.instances(connection),
  invitations: client.invitations(connection),
  marketplaceKeys: client.marketplaceKeys(connection),
  members: client.members(connection),
  publishing: client.publishing(connection),
  reviews: client.reviews(connection),
  sessions: client.sessions(connection),
  subscriptions: client.subscriptions(connection),
  usage: client.usage(connection),
  webhooks: client.webhooks(connection)
}

/** A query of the values that somebody chose: empty ones are left out, and the server refuses those that it does not know. */
export const chosen = <Query>(
  values: { readonly [Key in keyof NoInfer<Query>]?: string | number | boolean | undefined }
): Query =>
  // The cast: the values come from the page's address, so that only the server can check them.
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && value !== "")
  ) as Query

type Client = client.Client

type Name = {
  [Group in keyof Client]: `${Group}.${keyof Client[Group] & string}`
}[keyof Client]

type ResultOf<Function> = Function extends (...given: never) => Promise<infer Result> ? Result : never

/** What a function of the client resolves to, by its name, such as `apiKeys.create`. Adds nothing to the bundle. */
export type Answer<N extends Name> = N extends `${infer Group extends keyof Client}.${infer Function}`
  ? Function extends keyof Client[Group]
    ? ResultOf<Client[Group][Function]>
    : never
  : never

const segment = encodeURIComponent

/** The addresses of what a browser downloads by itself. */
export const links = {
  csv: (filter: Readonly<Record<string, string | undefined>>): string => {
    const query = new URLSearchParams(chosen<Record<string, string>>(filter)).toString()
    return `/api/kyc/sessions.csv${query && `?${query}`}`
  },
  export: (sessionId: string): string => `/api/kyc/sessions/${segment(sessionId)}/export`,
  file: (sessionId: string, fileId: string): string =>
    `/api/kyc/sessions/${segment(sessionId)}/files/${segment(fileId)}`,
  openapi: (apiId: string): string => `/api/api-marketplace/apis/${segment(apiId)}/openapi.json`
}
