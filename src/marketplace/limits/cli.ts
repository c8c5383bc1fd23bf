import type { Contribution } from "../../cli/contribution.ts"

/** Whether the limits of plans can be counted over all processes. */
export const limits = { checks: () => import("./checks.ts") } satisfies Contribution
