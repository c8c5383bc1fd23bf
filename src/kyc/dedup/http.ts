import { Effect, Layer } from "effect"
import { group } from "../../http/runtime/handlers.ts"
import { forCaller } from "../../keys/credential.ts"
import { ok } from "../../shared/schemas.ts"
import { SessionGuesses } from "../sessions/credential.ts"
import { DedupApi } from "./api.ts"
import { DedupMatchesApi } from "./matches-api.ts"
import { DedupMatches } from "./matches-service.ts"
import { Dedup } from "./service.ts"

const checks = group(DedupApi, (handlers) =>
  Effect.zipWith(Dedup, SessionGuesses, (dedup, { limiting }) =>
    handlers.handle("check", ({ path, payload: { keyHash, token } }) =>
      Effect.map(limiting(dedup.check({ ...path, token }, keyHash)), (sighting) => ({ ...ok, ...sighting }))
    )
  )
)

const matches = group(DedupMatchesApi, (handlers) =>
  Effect.map(DedupMatches, ({ list }) =>
    handlers.handle("list", ({ path }) =>
      forCaller((companyId) => list(companyId, path.id)).pipe(Effect.bindTo("matches"))
    )
  )
)

export const layer = Layer.merge(checks, matches)
