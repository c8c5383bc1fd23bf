import * as Context from "effect/Context"

/** What the edge knows of a request before any route has seen it. */
export interface RequestInfo {
  /** The `x-request-id` of request and answer. */
  readonly id: string
  /** The client's address, behind trusted proxies the one they report. */
  readonly clientAddress: () => string
}

export class CurrentRequest extends Context.Reference<CurrentRequest>()("doorlock/http/CurrentRequest", {
  defaultValue: (): RequestInfo => ({ id: "none", clientAddress: () => "" })
}) {}
