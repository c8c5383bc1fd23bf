const session = { id: "01a1f8d7-dfc9-74cc-a4c9-1bdd7c8c13f0", status: "cancelled" }

export const examples = {
  send: {
    request: {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "cancel_session", arguments: { id: session.id } }
    },
    response: {
      jsonrpc: "2.0",
      id: 1,
      result: {
        content: [{ type: "text", text: JSON.stringify({ session }) }],
        structuredContent: { session }
      }
    }
  }
}
