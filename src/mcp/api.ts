import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { Schema } from "effect"
import { route, routeGroup } from "../http/contract/routes.ts"
import { JsonObject } from "../shared/schemas.ts"
import { examples } from "./examples.ts"
import { Agent } from "./guards.ts"

/** The response to a notification. */
const notificationTaken = HttpApiSchema.Empty(202).annotations({
  description: "The message was a notification, which has no response."
})

/** The body is how JSON-RPC refuses a message. */
export const messageRefused = {
  status: 400,
  code: "mcp-message-refused",
  message: "The body is not a message of the Model Context Protocol",
  body: { jsonrpc: "2.0", error: { code: -32600, message: "Invalid Request" }, id: null }
} as const

/** Tools for agents (contract.md#mcp). */
export class McpApi extends routeGroup(
  "mcp",
  {
    title: "MCP",
    description: "The Model Context Protocol: operations of this API as tools for agents.",
    examples
  },
  route("send", "POST /mcp", {
    summary: "Send an MCP message",
    description:
      "Streamable HTTP without sessions: each message is answered with JSON, and a notification with an empty 202. `tools/list` has the tools " +
      "that the key's scopes permit. A tool makes the request of its route with the caller's key: a refusal by the route is a result with " +
      "`isError`, and `{error, status, code}` as `structuredContent`. A body that is not a message of the protocol gets 400 with a JSON-RPC error as its body.",
    access: { guard: Agent },
    body: JsonObject,
    success: Schema.Union(JsonObject, notificationTaken),
    protocolErrors: [messageRefused],
    unexpected: "Failed to answer message"
  })
) {}
