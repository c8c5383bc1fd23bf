import { Layer } from "effect"
import { Looking } from "./looking.ts"
import { Checks } from "./service.ts"
import { checking } from "./work.ts"

/** What the photos of a session show. */
export const checks = {
  services: Layer.provide(Checks.Default, Looking.Default),
  work: [checking]
} as const
