import { PlanLimits } from "./service.ts"

/** The limits of plans. */
export const limits = { services: PlanLimits.Default } as const
