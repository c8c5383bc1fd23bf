import { publish } from "./publish-cli.ts"
import { api } from "./takedown-cli.ts"

/** What whoever runs the service does with published APIs, and sees of their documents. */
export const catalog = {
  commands: [publish, api],
  checks: () => import("./checks.ts")
}
