import { Layer } from "effect"
import { readerCredentials } from "../sessions/credential.ts"
import { FiguresApi } from "./api.ts"
import * as http from "./http.ts"
import { Figures } from "./service.ts"

/** How a company's verifications go. */
export const figures = {
  contract: [FiguresApi],
  routes: http.layer,
  credentials: Layer.provide(http.credentials, readerCredentials),
  services: Figures.Default
} as const
