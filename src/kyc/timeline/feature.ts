import { TimelineApi } from "./api.ts"
import * as http from "./http.ts"
import { layer } from "./layer.ts"

/** The events of a session, in order. */
export const timeline = {
  contract: [TimelineApi],
  routes: http.layer,
  services: layer
} as const
