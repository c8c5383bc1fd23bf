import { Effect } from "effect"
import { group } from "../../http/runtime/handlers.ts"
import { ok } from "../../shared/schemas.ts"
import { SessionGuesses } from "../sessions/credential.ts"
import { DedupApi } from "./api.ts"
import { Dedup } from "./service.ts"

export const layer = group(DedupApi, (handlers) =>
  Effect.zipWith(Dedup, SessionGuesses, (dedup, { limiting }) =>
    handlers.handle("check", ({ path, payload: { keyHash, token } }) =>
      Effect.map(limiting(dedup.check({ ...path, token }, keyHash)), (sighting) => ({ ...ok, ...sighting }))
    )
  )
)
