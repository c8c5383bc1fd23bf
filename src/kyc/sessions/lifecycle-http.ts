import { Effect } from "effect"
import { group } from "../../http/runtime/handlers.ts"
import { forActor } from "../../keys/credential.ts"
import { SessionLifecycleApi } from "./lifecycle-api.ts"
import { SessionLifecycle } from "./lifecycle-service.ts"

export const layer = group(SessionLifecycleApi, (handlers) =>
  Effect.map(SessionLifecycle, (lifecycle) =>
    handlers
      .handle("cancel", ({ path }) =>
        forActor((by) => lifecycle.cancel(by, path.id)).pipe(Effect.bindTo("session"))
      )
      .handle("resume", ({ path, payload: { expiresInSeconds } }) =>
        forActor((by) => lifecycle.resume(by, path.id, expiresInSeconds ?? undefined))
      )
  )
)
