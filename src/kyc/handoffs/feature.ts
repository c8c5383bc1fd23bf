import { Effect, Layer } from "effect"
import { HandoffLinksApi, HandoffsApi } from "./api.ts"
import * as http from "./http.ts"
import { HandoffRepo } from "./repo.ts"
import { Handoffs } from "./service.ts"

/** Handoffs: moving a session to another device. */
export const handoffs = {
  contract: [HandoffsApi, HandoffLinksApi],
  routes: http.layer,
  services: Layer.provideMerge(Handoffs.Default, HandoffRepo.Default),
  housekeeping: { handoffs: Effect.flatMap(HandoffRepo, ({ wipeExpired }) => wipeExpired) }
} as const
