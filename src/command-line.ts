/** What features add to the command line, in the order of `--help` and `doctor`. */
import { accounts } from "./accounts/cli.ts"
import { audit } from "./audit/cli.ts"
import type { CommandLine } from "./cli/contribution.ts"
import { feed } from "./events/cli.ts"
import { keys } from "./keys/cli.ts"
import { instances } from "./kyc/instances/cli.ts"
import { receipts } from "./kyc/receipts/cli.ts"
import { sessions } from "./kyc/sessions/cli.ts"
import { secrets } from "./kyc/sessions/secrets-cli.ts"
import { catalog } from "./marketplace/catalog/cli.ts"
import { mcp } from "./mcp/cli.ts"
import { work } from "./work/cli.ts"

export const commandLine: CommandLine = {
  features: [
    accounts,
    keys,
    instances,
    sessions,
    receipts,
    { checks: () => import("./gateway/checks.ts") },
    feed,
    mcp,
    catalog,
    audit,
    work,
    secrets,
    { checks: () => import("./kyc/redaction/checks.ts") },
    { checks: () => import("./kyc/checks/checks.ts") },
    { checks: () => import("./kyc/captcha/checks.ts") },
    { checks: () => import("./marketplace/limits/checks.ts") },
    { checks: () => import("./marketplace/usage/checks.ts") },
    { checks: () => import("./kyc/files/checks.ts") }
  ],
  contract: () => import("./api.ts")
}
