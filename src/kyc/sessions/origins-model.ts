import type { JsonObject } from "../../shared/schemas.ts"

/** Where the answers of a session come from: itself, and the sessions before it that asked for the same steps. */
export interface Origins {
  /** The workflow with all steps. */
  readonly workflow: JsonObject
  /** When the server received the answer to each step, by the step's id. Of steps that it does not know, there is none. */
  readonly answeredAt: ReadonlyMap<string, Date>
}
