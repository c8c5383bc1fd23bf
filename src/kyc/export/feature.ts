import { SessionExportApi } from "./api.ts"
import * as http from "./http.ts"
import { SessionExport } from "./service.ts"

/** Everything that is stored about the person of a session, as a ZIP. */
export const exports = {
  contract: [SessionExportApi],
  routes: http.layer,
  services: SessionExport.Default
} as const
