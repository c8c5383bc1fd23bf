import type { Contribution } from "../../cli/contribution.ts"

/** Whether files can be stored. */
export const files = { checks: () => import("./checks.ts") } satisfies Contribution
