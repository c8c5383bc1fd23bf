import { FiguresApi } from "./api.ts"
import * as http from "./http.ts"
import { Figures } from "./service.ts"

/** How a company's verifications go. */
export const figures = {
  contract: [FiguresApi],
  routes: http.layer,
  services: Figures.Default
} as const
