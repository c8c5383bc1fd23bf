import { Context } from "effect"

/** What is known about a request before routing. */
export interface RequestInfo {
  /** The `x-request-id` of request and response. */
  readonly id: string
  /** Behind trusted proxies, the address that they report. */
  readonly clientAddress: () => string
  /** Whether no proxy is known: neither a trusted one nor one that a header names. */
  readonly isDirect: () => boolean
  /** Aborts if the client disconnects before the response; undefined if that cannot be detected. */
  readonly gone: () => AbortSignal | undefined
  /**
   * Sets the connection's idle timeout; 0 disables it, for code with its own timeout. The connection keeps the
   * setting, so restore the default before the response: call this without an argument.
   */
  readonly setIdleTimeout: (seconds?: number) => void
}

export class CurrentRequest extends Context.Reference<CurrentRequest>()("doorlock/http/CurrentRequest", {
  defaultValue: (): RequestInfo => ({
    id: "none",
    clientAddress: () => "",
    isDirect: () => false,
    gone: () => undefined,
    setIdleTimeout: () => {}
  })
}) {}
