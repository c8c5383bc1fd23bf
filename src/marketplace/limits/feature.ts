import { PlanLimits } from "./service.ts"

/** What a plan allows. */
export const limits = { services: PlanLimits.Default } as const
