/** Checks of sessions. */
import { Context, Effect } from "effect"
import { WorkSignal } from "../../../src/work/signal-service.ts"
import { eventually } from "../eventually.ts"
import { execute } from "../postgres.ts"
import type { startServer } from "../server.ts"

type Server = Effect.Effect.Success<ReturnType<typeof startServer>>

/** Waits until the photos of a completed session are looked at. */
export const looked = (server: Server, { id }: { readonly id: string }) =>
  Effect.zipRight(
    Effect.sync(() => Context.get(server.services, WorkSignal).wake()),
    eventually(
      "the photos are looked at",
      execute(server.databaseUrl, "select kind, outcome from kyc_checks where session_id = $1", [id]),
      ({ length }) => length > 0
    )
  )
