/** The tools for agents, as a client of one transport and revision walks them. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { knownScopes } from "../../src/keys/scopes-model.ts"
import { toolRows } from "../../src/mcp/tools-model.ts"
import { auditEvents, eventsOf } from "../support/audit/trail.ts"
import { createKey, field, signUp, text } from "../support/client.ts"
import { companyOn } from "../support/kyc/partner.ts"
import { publishApi } from "../support/marketplace/subscriptions.ts"
import { agent, agentName, type Speech } from "../support/mcp.ts"
import { type RunningServer, TestServer } from "../support/server.ts"

/** A refused call, as an agent gets it. */
export const refused = (status: number, code: string, error: string) =>
  expect.objectContaining({
    isError: true,
    content: [{ type: "text", text: error }],
    structuredContent: { error, status, code }
  })

/** A company whose key names every scope. */
export const companyFor = (server: RunningServer) =>
  Effect.flatMap(companyOn(server), (company) =>
    Effect.map(createKey(server, company.member, { scopes: Object.keys(knownScopes) }), (key) => ({
      ...company,
      key
    }))
  )

/** The tools are the partner's operations. The newest revision over HTTP and the older one over stdio walk all of them. */
export const areOperations = (speech: Speech) =>
  Effect.gen(function* () {
    const server = yield* TestServer
    const company = yield* companyFor(server)
    const { ask, call, names, revision } = yield* agent(server, company.key.token, speech)
    expect(revision()).toBe(speech.revision)
    expect(yield* names).toEqual(Object.keys(toolRows).filter((name) => name !== "decide_review"))

    const instances = yield* ask("list_instances")
    expect(text(instances, "instances", 0, "id")).toBe(company.instance.id)
    const instance = yield* ask("get_instance", { id: company.instance.id })
    expect(field(instance, "instance")).toEqual(field(instances, "instances", 0))
    if ((speech.over === "http") !== (speech.revision === "2026-07-28")) return
    const api = yield* publishApi(server, yield* signUp(server))

    const given = {
      instanceId: company.instance.id,
      externalReference: "customer 42",
      metadata: { plan: "pro" },
      idempotencyKey: crypto.randomUUID()
    }
    const created = yield* ask("create_session", given)
    expect(text(created, "verificationUrl")).toContain("/kyc/session/")
    expect(yield* ask("create_session", given)).toEqual(created)
    const id = text(created, "session", "id")
    const listed = yield* ask("list_sessions", { externalReference: "customer 42", limit: 1 })
    expect(text(listed, "sessions", 0, "id")).toBe(id)
    expect(field(listed, "next_cursor")).toBeNull()
    expect(field(yield* ask("get_session", { id }), "session", "metadata")).toEqual({ plan: "pro" })
    expect(text(yield* ask("cancel_session", { id }), "session", "status")).toBe("cancelled")
    expect(yield* call("cancel_session", { id })).toEqual(
      refused(409, "session-not-updatable", "Session is not updatable")
    )
    expect(field(yield* ask("list_reviews"), "reviews")).toEqual([])
    expect(field(yield* ask("get_review", { id }), "review")).toBeNull()

    const feed = yield* ask("list_events", { resource: id, order: "newest" })
    expect(text(feed, "events", 0, "type")).toBe("kyc.session.cancelled")
    const event = text(feed, "events", 0, "id")
    expect(text(yield* ask("get_event", { id: event }), "event", "id")).toBe(event)

    const found = yield* ask("list_marketplace_apis", { limit: 100 })
    expect(field(found, "apis")).toContainEqual(expect.objectContaining({ id: api.id, name: "Weather" }))
    expect(text(yield* ask("get_marketplace_api", { apiId: api.id }), "api", "id")).toBe(api.id)
    const wanted = {
      apiId: api.id,
      planId: api.planId,
      name: "agent",
      idempotencyKey: crypto.randomUUID()
    }
    const subscribed = yield* ask("subscribe_to_api", wanted)
    expect(text(subscribed, "token")).toMatch(/^dk_live_/)
    expect(yield* ask("subscribe_to_api", wanted)).toEqual(subscribed)
    expect(text(yield* ask("list_subscriptions"), "subscriptions", 0, "api_id")).toBe(api.id)

    const trail = eventsOf(yield* auditEvents(server, company.member)).slice(0, 2)
    expect(trail).toMatchObject([
      { action: "subscription.created", actor: { kind: "api_key", id: company.key.id } },
      { action: "kyc_session.cancelled", actor: { kind: "api_key", id: company.key.id } }
    ])
    if (speech.over === "http") expect(trail).toMatchObject([{ user_agent: agentName }, {}])
  })
