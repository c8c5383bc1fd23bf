/** Clients of the Model Context Protocol, by the official SDK. */
import { expect } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { Effect } from "effect"
import { cliEnvironment, cliFile } from "./cli.ts"
import { field } from "./client.ts"
import type { RunningServer } from "./server.ts"

/** How a client speaks: `revision` is the newest it knows. */
export interface Speech {
  readonly over: "http" | "stdio"
  readonly revision: "2025-11-25" | "2026-07-28"
}

/** The `User-Agent` of clients over HTTP. */
export const agentName = "test agent"

const transport = (server: Pick<RunningServer, "url">, token: string, { over }: Speech) =>
  over === "http"
    ? new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
        requestInit: { headers: { "x-api-key": token, "user-agent": agentName } }
      })
    : new StdioClientTransport({
        command: process.execPath,
        args: [cliFile, "mcp"],
        env: cliEnvironment({ DOORLOCK_URL: server.url, DOORLOCK_API_KEY: token }) as Record<string, string>
      })

/** A connected client with this key, until the scope ends. */
export const agent = (
  server: Pick<RunningServer, "url">,
  token: string,
  speech: Speech = { over: "http", revision: "2026-07-28" }
) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Client(
        { name: agentName, version: "1" },
        speech.revision === "2026-07-28" ? { versionNegotiation: { mode: "auto" } } : {}
      )
      await client.connect(transport(server, token, speech))
      return client
    }),
    (client) => Effect.promise(() => client.close())
  ).pipe(
    Effect.map((client) => ({
      revision: () => client.getNegotiatedProtocolVersion(),
      tools: Effect.promise(async () => (await client.listTools()).tools),
      names: Effect.promise(async () => (await client.listTools()).tools.map(({ name }) => name)),
      /** The whole result, also of a refused call. */
      call: (name: string, given: Readonly<Record<string, unknown>> = {}) =>
        Effect.promise(() => client.callTool({ name, arguments: given })),
      /** The value of a call that must succeed. Its text is the same. */
      ask: (name: string, given: Readonly<Record<string, unknown>> = {}) =>
        Effect.promise(async () => {
          const { content, isError, structuredContent } = await client.callTool({ name, arguments: given })
          if (isError === true) throw new Error(`${name} failed: ${JSON.stringify(content)}`)
          const text = JSON.parse(String(field(content, 0, "text")))
          if (!Bun.deepEquals(text, structuredContent)) throw new Error(`${name} has two different results`)
          return structuredContent
        })
    }))
  )
export type Agent = Effect.Effect.Success<ReturnType<typeof agent>>

/** Throws unless it is how JSON-RPC refuses a message: `/mcp` answers so to messages that are no requests of MCP. */
export const mustRefuseMessage = (body: string): void => {
  expect(JSON.parse(body)).toMatchObject({
    jsonrpc: "2.0",
    error: { code: expect.any(Number), message: expect.any(String) }
  })
}
