import { route, routeGroup } from "../http/contract/routes.ts"
import { JsonObject } from "../shared/schemas.ts"
import { examples } from "./examples.ts"
import { Agent } from "./guards.ts"

/** Tools for agents (contract.md#mcp). */
export class McpApi extends routeGroup(
  "mcp",
  {
    title: "MCP",
    description: "The Model Context Protocol: operations of this API as tools for agents.",
    examples
  },
  route("send", "POST /mcp", {
    summary: "Send one message of the Model Context Protocol",
    description:
      "Streamable HTTP without sessions: each message is answered with JSON, and a notification with an empty 202. `tools/list` has the tools " +
      "that the key's scopes permit. A tool makes the request of its route with the caller's key: what the route refuses is a result with " +
      "`isError`, the sentence, and `status` and `code`. What is no message of the protocol gets 400 with a JSON-RPC error as its body.",
    guard: Agent,
    body: JsonObject,
    success: JsonObject,
    unexpected: "Failed to answer message"
  })
) {}
