import { Data, Effect } from "effect"
import type { Client } from "pg"
import { isPooled, type Pooling } from "./pooler.ts"

/** Why changes are not trusted to arrive: a sentence that names no address. */
export class NotHeard extends Data.TaggedError("NotHeard")<{
  readonly message: string
  readonly cause?: unknown
  /** Whether the settings are the reason. */
  readonly bySettings?: boolean
}> {}

export const behindPooler = new NotHeard({
  message:
    "DATABASE_URL goes through a pooler, which passes on no notifications; set DATABASE_LISTEN_URL to a direct connection",
  bySettings: true
})

/** Whether a pooler may give each transaction of this connection another server connection. */
export const sharesConnections = (
  client: Client,
  pooling: Pooling | undefined
): Effect.Effect<boolean, NotHeard> =>
  pooling === undefined
    ? Effect.mapError(
        isPooled(client),
        (cause) => new NotHeard({ message: "The connection to the database failed", cause })
      )
    : Effect.succeed(pooling === "transaction")
