import { Effect } from "effect"
import { group } from "../../http/runtime/handlers.ts"
import { SessionGuesses } from "../sessions/credential.ts"
import { ReadingsApi } from "./readings-api.ts"
import { Readings } from "./readings-service.ts"

export const layer = group(ReadingsApi, (handlers) =>
  Effect.zipWith(Readings, SessionGuesses, (readings, { limiting }) =>
    handlers
      .handle("start", ({ path: { fileId, sessionId }, payload: { token } }) =>
        limiting(readings.start({ sessionId, token }, fileId)).pipe(Effect.bindTo("reading"))
      )
      .handle("get", ({ path: { fileId, sessionId }, urlParams: { token } }) =>
        limiting(readings.get({ sessionId, token }, fileId)).pipe(Effect.bindTo("reading"))
      )
  )
)
