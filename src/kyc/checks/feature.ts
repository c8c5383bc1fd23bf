import { Looking } from "./looking.ts"

/** What the photos of a session show. */
export const checks = { services: Looking.Default } as const
