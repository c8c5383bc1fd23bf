import { McpApi } from "./api.ts"
import * as http from "./http.ts"

/** The Model Context Protocol: operations of the contract as tools for agents. */
export const mcp = { contract: [McpApi], routes: http.layer, credentials: http.credentials } as const
