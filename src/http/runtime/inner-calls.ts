import { Context } from "effect"
import type { RequestInfo } from "../../shared/current-request.ts"

/**
 * Sends a request to another route of this process without the network. It meets the same checks and limits as a
 * client's request, and gets a line of its own in the access log, with the id and address of `from`.
 */
export class InnerCalls extends Context.Reference<InnerCalls>()("doorlock/http/InnerCalls", {
  defaultValue: (): {
    readonly send: (request: Request, from: RequestInfo) => Promise<Response>
  } => ({ send: () => Promise.reject(new Error("Only a request can make inner calls")) })
}) {}
