import type { Contribution } from "../cli/contribution.ts"

/** Whether the gateway can reach what it calls. */
export const gateway = { checks: () => import("./checks.ts") } satisfies Contribution
