/** The one list of what features add to the command line, in the order of `--help` and of `doctor`. */
import { accounts } from "./accounts/cli.ts"
import { audit } from "./audit/cli.ts"
import type { CommandLine } from "./cli/contribution.ts"
import { gateway } from "./gateway/cli.ts"
import { keys } from "./keys/cli.ts"
import { captcha } from "./kyc/captcha/cli.ts"
import { files } from "./kyc/files/cli.ts"
import { instances } from "./kyc/instances/cli.ts"
import { sessions } from "./kyc/sessions/cli.ts"
import { catalog } from "./marketplace/catalog/cli.ts"
import { limits } from "./marketplace/limits/cli.ts"

export const commandLine: CommandLine = {
  features: [accounts, keys, instances, sessions, gateway, catalog, audit, captcha, limits, files],
  contract: () => import("./api.ts")
}
