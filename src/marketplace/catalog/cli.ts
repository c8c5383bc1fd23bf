import { publish } from "./publish-cli.ts"
import { api } from "./takedown-cli.ts"

/** The operator's commands and checks for published APIs. */
export const catalog = {
  commands: [publish, api],
  checks: () => import("./checks.ts")
}
