import { Context } from "effect"

/** What is known about a request before routing. */
export interface RequestInfo {
  /** The `x-request-id` of request and response. */
  readonly id: string
  /** Behind trusted proxies, the address that they report. */
  readonly clientAddress: () => string
  /** Whether no proxy is known: no trusted one, and none declared in a header. */
  readonly isDirect: () => boolean
  /** Aborts if the client disconnects before the response; undefined if that cannot be detected. */
  readonly gone: () => AbortSignal | undefined
  /**
   * Sets the connection's idle timeout; 0 disables it, for code with its own timeout. The connection keeps the
   * keeps the setting: before the response, call this without an argument to restore the default.
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
