/** MCP over stdio, which starts a program for each client. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { send } from "../support/client.ts"
import { agent } from "../support/mcp.ts"
import { TestServer } from "../support/server.ts"
import { suite } from "../support/suite.ts"
import { areOperations, companyFor } from "./operations.ts"

suite(TestServer.layer)("Tools for agents (docs/guides/mcp.md)", (it) => {
  for (const revision of ["2026-07-28", "2025-11-25"] as const) {
    it.scoped(`are the partner's operations, over stdio by revision ${revision}`, () =>
      areOperations({ over: "stdio", revision })
    )
  }

  it.scoped("over stdio say why the installation does not answer", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const { key, member } = yield* companyFor(server)
      const { call } = yield* agent(server, key.token, { over: "stdio", revision: "2026-07-28" })
      yield* send(server, "POST", `/api/api-keys/${key.id}/revoke`, { headers: { cookie: member.cookie } })
      expect(yield* call("list_events")).toMatchObject({
        isError: true,
        content: [{ type: "text", text: `${server.url} refuses the call: Invalid API key.` }],
        structuredContent: { status: 401, code: "invalid-api-key" }
      })
    })
  )
})
