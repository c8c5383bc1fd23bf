import { Context } from "effect"

/** What the server knows of a request before routing. */
export interface RequestInfo {
  /** The `x-request-id` of request and response. */
  readonly id: string
  /** The client's address; behind trusted proxies, the address that they report. */
  readonly clientAddress: () => string
  /** Whether the client connects itself, as far as can be told: not by a proxy that is trusted, nor by one that says that it is one. */
  readonly isDirect: () => boolean
  /** Aborts if the client disconnects before the response; undefined if that cannot be detected. */
  readonly gone: () => AbortSignal | undefined
  /**
   * Sets how many seconds the connection may be (almost) idle before it is closed; 0 means no limit, for code with its
   * own limit. The setting belongs to the connection, so call this without an argument before the response to restore
   * the default.
   */
  readonly allowSilence: (seconds?: number) => void
}

export class CurrentRequest extends Context.Reference<CurrentRequest>()("doorlock/http/CurrentRequest", {
  defaultValue: (): RequestInfo => ({
    id: "none",
    clientAddress: () => "",
    isDirect: () => false,
    gone: () => undefined,
    allowSilence: () => {}
  })
}) {}
