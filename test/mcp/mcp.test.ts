/** MCP (docs/guides/mcp.md), walked by the official SDK's client. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it as plainIt } from "@effect/vitest"
import { Effect } from "effect"
import { placesIn, surviving } from "../../src/mcp/faults.ts"
import { toolRows } from "../../src/mcp/tools-model.ts"
import { createKey, field, send, text } from "../support/client.ts"
import { routes, scopesOf } from "../support/contract.ts"
import { refusal, statusAndBody, unknownId } from "../support/kyc/partner.ts"
import { reviewingCompany, waitingSession } from "../support/kyc/reviews.ts"
import { type Agent, agent } from "../support/mcp.ts"
import { startServer, TestServer } from "../support/server.ts"
import { suite } from "../support/suite.ts"
import { areOperations, companyFor, refused } from "./operations.ts"

const open = ["list_marketplace_apis", "get_marketplace_api"]

/** The scopes that the tool's route asks for: none if it is public. */
const scopesOfTool = (route: string): ReadonlyArray<string> => {
  const found = routes.find(({ operation }) => operation === route)
  return found === undefined ? [] : scopesOf(found)
}

plainIt("only the tools of public routes need no scope", () => {
  const free = Object.entries(toolRows).filter(([, { route }]) => scopesOfTool(route).length === 0)
  expect(free.map(([name]) => name)).toEqual(open)
})

plainIt("a bug in a tool is reported without its message, and the agent gets a 500", async () => {
  const reported: Array<string> = []
  const secret = "Erika Mustermann"
  const broken = () => Promise.reject(new TypeError(secret, { cause: secret }))
  const toolbox = surviving({ list: broken, call: broken }, (tool, error) =>
    reported.push(`${tool}: ${placesIn(error)}`)
  )
  expect(await toolbox.call("get_session", {})).toEqual(
    refused(500, "failed-to-answer-message", "Failed to answer message")
  )
  await expect(toolbox.list()).rejects.toThrow(/^Failed to answer message$/)
  expect(reported).toEqual([
    expect.stringMatching(/^get_session: TypeError\n\s+at .*mcp\.test\.ts:\d+/),
    expect.stringMatching(/^tools\/list: TypeError\n\s+at /)
  ])
  expect(reported.join()).not.toContain(secret)
})

suite(TestServer.layer)("Tools for agents (docs/guides/mcp.md)", (it) => {
  for (const revision of ["2026-07-28", "2025-11-25"] as const) {
    it.scoped(`are the partner's operations, over http by revision ${revision}`, () =>
      areOperations({ over: "http", revision })
    )
  }

  it.scoped("have the fields of the contract, and say to agents what they do", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const { key } = yield* companyFor(server)
      const { tools } = yield* agent(server, key.token)
      const json = `${JSON.stringify(yield* tools, null, 2)}\n`
      yield* Effect.promise(() => expect(json).toMatchFileSnapshot("tools.golden.txt"))
    })
  )

  const offered: ReadonlyArray<readonly [scopes: ReadonlyArray<string>, names: ReadonlyArray<string>]> = [
    [[], open],
    [["kyc:sessions:read"], ["list_sessions", "get_session", ...open]],
    [
      ["kyc:reviews:write", "kyc:sessions:write"],
      ["cancel_session", ...open]
    ],
    [
      ["events", "kyc:instances:read"],
      ["list_instances", "get_instance", "list_events", "get_event", ...open]
    ],
    [["marketplace:subscriptions:create"], [...open, "subscribe_to_api"]]
  ]
  it.scoped("are those of the key's scopes; the others are refused", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const { instance, member } = yield* companyFor(server)
      const given: Readonly<Record<string, object>> = {
        create_session: { instanceId: instance.id },
        subscribe_to_api: {
          apiId: unknownId,
          planId: unknownId,
          name: "x",
          idempotencyKey: crypto.randomUUID()
        }
      }
      for (const [scopes, expected] of offered) {
        const { token } = yield* createKey(server, member, { scopes })
        const { call, names } = yield* agent(server, token)
        expect(yield* names).toEqual(expected)
        for (const [name, { isDecision, route }] of Object.entries(toolRows)) {
          if (expected.includes(name) || isDecision === true) continue
          expect(yield* call(name, { id: unknownId, ...given[name] })).toEqual(
            name.startsWith("get") || name === "cancel_session"
              ? refused(403, "scope-missing", `API key does not have the scope ${scopesOfTool(route).join()}`)
              : expect.objectContaining({ isError: true })
          )
        }
      }
    })
  )

  it.scoped("answer for another company's ids exactly as for unknown ones", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const theirs = yield* companyFor(server)
      const session = yield* theirs.newSession()
      const event = text(yield* theirs.asPartner("/api/events"), "body", "events", 0, "id")
      const { call } = yield* agent(server, (yield* companyFor(server)).key.token)
      const unknown = {
        id: unknownId,
        event: `evt_${"0".repeat(event.length - 4)}`
      }
      for (const [name, id, none] of [
        ["get_session", session.id, unknown.id],
        ["cancel_session", session.id, unknown.id],
        ["get_review", session.id, unknown.id],
        ["get_instance", theirs.instance.id, unknown.id],
        ["get_event", event, unknown.event]
      ] as const) {
        const answer = yield* call(name, { id })
        expect(answer).toMatchObject({ isError: true, structuredContent: { status: 404 } })
        expect(answer).toEqual(yield* call(name, { id: none }))
      }
      expect(field((yield* theirs.read(session)).body, "session", "status")).toBe("created")
    })
  )

  it.scoped("refuse arguments with the sentence of the route, or with one of their own", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const { instance, key } = yield* companyFor(server)
      const { call } = yield* agent(server, key.token)
      const sentences: ReadonlyArray<readonly [string, Readonly<Record<string, unknown>>, string]> = [
        ["create_session", {}, "instanceKey or instanceId is required"],
        ["create_session", { instanceId: instance.id, mode: "real" }, "mode must be prod or dev"],
        ["list_sessions", { limit: [1] }, "limit must be a string, a number, true or false."],
        ["get_session", { id: ".." }, "id must be an identifier of letters, digits, - and _."],
        ["cancel_session", {}, "id must be an identifier of letters, digits, - and _."],
        ["get_event", { id: unknownId, name: "x" }, "There is no argument name; known: id."],
        [
          "create_session",
          { instanceId: instance.id, idempotencyKey: "a\r\nx-api-key: b" },
          "idempotencyKey must consist of visible ASCII characters."
        ]
      ]
      for (const [name, given, sentence] of sentences) {
        expect(yield* call(name, given)).toMatchObject({
          isError: true,
          content: [{ type: "text", text: sentence }],
          structuredContent: { error: sentence, status: 400, code: expect.stringMatching(/^[a-z-]+$/) }
        })
      }
    })
  )

  const message = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }

  it.scoped("need a platform key, and are not for pages of other sites", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const { key, member } = yield* companyFor(server)
      const ask = (headers: Record<string, string>, method = "POST") =>
        send(server, method, "/mcp", { headers, ...(method === "POST" ? { json: message } : {}) })
      const none: ReadonlyArray<Record<string, string>> = [
        {},
        { cookie: member.cookie },
        { "x-api-key": `dlk_${"0".repeat(49)}` },
        { authorization: "Bearer dk_live_x" }
      ]
      for (const headers of none) {
        const answer = yield* ask(headers)
        expect(statusAndBody(answer)).toEqual(refusal(401, "Invalid API key"))
        expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="doorlock"')
      }
      const credential = { authorization: `Bearer ${key.token}` }
      for (const headers of [
        { origin: "https://evil.example" },
        { origin: "null" },
        { "sec-fetch-site": "cross-site" }
      ]) {
        expect(statusAndBody(yield* ask({ ...credential, ...headers }))).toEqual(
          refusal(403, "Cross-site request refused")
        )
      }
      const own = yield* ask({ ...credential, origin: "http://doorlock.test" })
      expect([
        own.status,
        own.headers.get("content-type"),
        own.headers.get("access-control-allow-origin")
      ]).toEqual([200, "application/json", null])
      expect(field(own.body, "result", "tools")).toHaveLength(Object.keys(toolRows).length - 1)
      for (const method of ["GET", "DELETE", "OPTIONS"]) {
        const answer = yield* ask({ ...credential, origin: "http://doorlock.test" }, method)
        expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"])
      }
    })
  )

  it.scoped("take one message of at most 1 MiB, and keep no connection open", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const { key } = yield* companyFor(server)
      const ask = (json: unknown, headers: Record<string, string> = {}) =>
        send(server, "POST", "/mcp", { headers: { "x-api-key": key.token, ...headers }, json })
      const large = { ...message, params: { text: "x".repeat(1_048_576) } }
      expect(statusAndBody(yield* ask(large))).toEqual(refusal(413, "Request body is too large"))
      expect(statusAndBody(yield* ask([message]))).toEqual(refusal(400, "Request body must be a JSON object"))
      const other = yield* ask({ hello: "world" })
      expect([other.status, other.headers.get("doorlock-error")]).toEqual([400, "mcp-message-refused"])
      expect(field(other.body, "error", "code")).toBe(-32600)
      expect(field((yield* ask({ ...message, method: "resources/list" })).body, "error", "code")).toBe(-32601)
      const unknown = { ...message, method: "tools/call", params: { name: "drop_database" } }
      expect(field((yield* ask(unknown)).body, "error", "message")).toBe("Unknown tool: drop_database")
      for (const invalid of [
        { ...message, method: "initialize", params: {} },
        { jsonrpc: "2.0", id: 1, method: "initialize" },
        { ...message, params: { cursor: 5 } }
      ]) {
        expect(field((yield* ask(invalid)).body, "error"), invalid.method).toEqual({
          code: -32602,
          message: expect.stringContaining(`Invalid ${invalid.method} request: `)
        })
      }
      const notified = yield* ask({ jsonrpc: "2.0", method: "notifications/initialized" })
      expect([notified.status, notified.text]).toEqual([202, ""])
    })
  )

  it.scoped("are found with the settings that the guide shows, each of them", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const { key } = yield* companyFor(server)
      const guide = readFileSync(join(import.meta.dirname, "../../docs/guides/mcp.md"), "utf8")
      const blocks = [...guide.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, language, code = ""]) => ({
        language,
        code: code.replaceAll("https://doorlock.example", server.url)
      }))
      expect(blocks.map(({ language }) => language)).toEqual(["sh", "json", "json"])
      const [command, editor, desktop] = blocks.map(({ code }) => code)
      const connected = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }
      // An address with a header, as a client sends it: its name of the key in place of the key.
      const asks = (url: string, header: string) =>
        Effect.gen(function* () {
          const authorization = header.replace(/\$DOORLOCK_API_KEY|\$\{input:doorlock-key\}/, key.token)
          expect(new URL(url).pathname).toBe("/mcp")
          const answer = yield* send(server, "POST", new URL(url).pathname, {
            headers: { authorization, accept: "application/json, text/event-stream" },
            json: connected
          })
          expect(field(answer.body, "result", "tools", 0, "name"), answer.text).toEqual(expect.any(String))
        })
      const [, url = "", header = ""] =
        /http doorlock (\S+) --header "Authorization: ([^"]*)"/.exec(command ?? "") ?? []
      yield* asks(url, header)
      const inEditor = JSON.parse(editor ?? "")
      yield* asks(
        text(inEditor, "servers", "doorlock", "url"),
        text(inEditor, "servers", "doorlock", "headers", "Authorization")
      )
      // A program that a client starts: `mcp/stdio` does.
      const started = field(JSON.parse(desktop ?? ""), "mcpServers", "doorlock")
      expect(started).toEqual({
        command: "bun",
        args: [expect.stringMatching(/\/src\/cli\.ts$/), "mcp"],
        env: { DOORLOCK_URL: server.url, DOORLOCK_API_KEY: "dlk_..." }
      })
    })
  )

  const decide = (decider: Agent, id: string) =>
    decider.call("decide_review", { id, decision: "approved", note: "Seen." })

  it.scoped("decide on reviews only if the operator allows it", () =>
    Effect.gen(function* () {
      const company = yield* reviewingCompany(yield* startServer({ MCP_REVIEW_DECISIONS: "true" }))
      const { id } = yield* waitingSession(company)
      const allowed = yield* agent(company.server, company.key.token)
      expect(yield* allowed.names).toContain("decide_review")
      expect(yield* decide(allowed, id)).toMatchObject({
        structuredContent: { review: { status: "decided", decision: "approved" } }
      })

      const careful = yield* reviewingCompany(yield* TestServer)
      const waiting = yield* waitingSession(careful)
      const reader = yield* agent(careful.server, careful.key.token)
      const failure = yield* Effect.flip(Effect.sandbox(decide(reader, waiting.id)))
      expect(String(failure)).toContain("Unknown tool: decide_review")
      const { reviews } = { reviews: field(yield* reader.ask("list_reviews"), "reviews") }
      expect(reviews).toEqual([expect.objectContaining({ status: "pending" })])
    })
  )
})
