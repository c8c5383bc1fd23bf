import * as Layer from "effect/Layer"
import { TimelineApi } from "./api.ts"
import * as http from "./http.ts"
import { TimelineRepo } from "./repo.ts"
import { Timelines } from "./service.ts"

/** What happened in a session, in order. */
export const timeline = {
  contract: [TimelineApi],
  routes: http.layer,
  services: Layer.provideMerge(Timelines.Default, TimelineRepo.Default)
} as const
