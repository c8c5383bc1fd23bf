import { OperationsApi } from "./api.ts"
import * as http from "./http.ts"
import { Readiness } from "./readiness.ts"

export const operations = {
  contract: [OperationsApi],
  routes: http.layer,
  services: Readiness.Default
} as const
