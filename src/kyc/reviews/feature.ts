import { Layer } from "effect"
import { ReviewsApi } from "./api.ts"
import { Decisions } from "./decision-service.ts"
import * as http from "./http.ts"
import { SessionNotes } from "./notes-service.ts"
import { Reviews } from "./service.ts"

/** What a company decides on its completed sessions, and its notes about them. */
export const reviews = {
  contract: [ReviewsApi],
  routes: http.layer,
  services: Layer.mergeAll(Reviews.Default, Decisions.Default, SessionNotes.Default)
} as const
