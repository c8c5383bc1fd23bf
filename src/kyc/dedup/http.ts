import * as Effect from "effect/Effect"
import { Api } from "../../api.ts"
import { group } from "../../http/handlers.ts"
import { Dedup } from "./service.ts"

/** The routes of `DedupApi`. */
export const layer = group(Api, "kyc-dedup", (handlers) =>
  Effect.map(Dedup, (dedup) =>
    handlers.handle("check", ({ path, payload: { keyHash, token } }) =>
      Effect.map(dedup.check({ ...path, token }, keyHash), (sighting) => ({ ok: true as const, ...sighting }))
    )
  )
)
