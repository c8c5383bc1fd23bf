import { Embedding } from "./service.ts"

/** Which sites may show the KYC page in a frame. */
export const embedding = {
  services: Embedding.Default
} as const
