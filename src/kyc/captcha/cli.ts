import type { Contribution } from "../../cli/contribution.ts"

/** Whether the tokens of captchas can be checked. */
export const captcha = { checks: () => import("./checks.ts") } satisfies Contribution
