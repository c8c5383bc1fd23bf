import { Effect, Layer } from "effect"
import { Looking } from "./looking.ts"
import { Checks } from "./service.ts"
import { checking } from "./work.ts"

/** What the photos of a session show. */
export const checks = {
  services: Layer.provide(Checks.Default, Looking.Default),
  work: [checking],
  housekeeping: { browser_marks: Effect.flatMap(Checks, ({ forgetMarks }) => forgetMarks) }
} as const
