import { TimelineApi } from "./api.ts"
import * as http from "./http.ts"
import { Timelines } from "./service.ts"

/** The events of a session, in order. */
export const timeline = {
  contract: [TimelineApi],
  routes: http.layer,
  services: Timelines.Default
} as const
