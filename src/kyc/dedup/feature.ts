import { Layer } from "effect"
import { DedupApi } from "./api.ts"
import * as http from "./http.ts"
import { DedupMatchesApi } from "./matches-api.ts"
import { DedupMatches } from "./matches-service.ts"
import { Dedup } from "./service.ts"

/** Deduplication: whether a document or person was seen before. */
export const dedup = {
  contract: [DedupApi, DedupMatchesApi],
  routes: http.layer,
  services: Layer.merge(Dedup.Default, DedupMatches.Default)
} as const
