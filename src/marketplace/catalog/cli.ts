import { publish } from "./publish-cli.ts"
import { api } from "./takedown-cli.ts"

/** The operator's commands for published APIs. */
export const catalog = {
  commands: [publish, api]
}
