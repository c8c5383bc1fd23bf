import * as Context from "effect/Context"

/** What the edge knows of a request before any route has seen it. */
export interface RequestInfo {
  /** The `x-request-id` of request and answer. */
  readonly id: string
  /** The client's address, behind trusted proxies the one they report. */
  readonly clientAddress: () => string
  /** Whether the client connects itself, as far as can be told: not by a proxy that is trusted, nor by one that says that it is one. */
  readonly isDirect: () => boolean
  /** Is aborted when the client goes away before the answer; undefined where that cannot be told. */
  readonly gone: () => AbortSignal | undefined
  /**
   * Lets nothing, or next to nothing, come or go for so many seconds before the connection is ended; 0 for ever, for who has a limit
   * of their own. It is the connection's, and so has to be made the usual again, by saying nothing, before the answer.
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
