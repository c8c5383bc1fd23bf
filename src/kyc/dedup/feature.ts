import { DedupApi } from "./api.ts"
import * as http from "./http.ts"
import { Dedup } from "./service.ts"

/** Deduplication: whether a document or person was seen before. */
export const dedup = {
  contract: [DedupApi],
  routes: http.layer,
  services: Dedup.Default
} as const
