/** Servers that no longer listen. */
import { Effect } from "effect"
import type { RunningServer } from "../server.ts"

/** Whether nothing listens at the server's address. Another failure, such as a connection that breaks, does not say so. */
export const refusesConnections = ({ url }: Pick<RunningServer, "url">): Effect.Effect<boolean> =>
  Effect.promise(() =>
    fetch(url).then(
      () => false,
      ({ code }) => code === "ECONNREFUSED"
    )
  )
