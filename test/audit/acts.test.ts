/** Every recorded act: it has its event, neither exists without the other, and a repetition has none. */
import { describe, expect } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { type Action, actionFilters } from "../../src/audit/model.ts"
import { askAs, auditEvents, countEvents, eventsOf, userAgent, withoutTrail } from "../support/audit/trail.ts"
import {
  type Answer,
  createInstance,
  createKey,
  createSession,
  field,
  join,
  type Member,
  send,
  signUp,
  text
} from "../support/client.ts"
import { routes } from "../support/contract.ts"
import { eventually } from "../support/eventually.ts"
import { samples, upload } from "../support/kyc/files.ts"
import { reviewingCompanyOf, waitingSession } from "../support/kyc/reviews.ts"
import { freshSlug, upstreamUrl } from "../support/marketplace/publisher.ts"
import { publishApi } from "../support/marketplace/subscriptions.ts"
import { execute } from "../support/postgres.ts"
import { type RunningServer, startServer, TestServer } from "../support/server.ts"
import { anId, anInstant } from "../support/shapes.ts"
import { suite } from "../support/suite.ts"

const marketplace = "/api/api-marketplace"
const better = "a better battery staple"

interface Given {
  readonly server: RunningServer
  readonly owner: Member
  readonly ask: ReturnType<typeof askAs>
}

/** The expected event; fields not listed are the same for all. */
interface Expected {
  readonly resource: { readonly kind: string; readonly id: unknown; readonly name: unknown }
  readonly details: unknown
  /** Default: the owner. */
  readonly actor?: unknown
}

interface Act<X> {
  /** The act's route, as the contract names it. */
  readonly route: string
  /** What the act is about, where the route's name does not say. */
  readonly what?: string
  readonly prepare: (given: Given) => Effect.Effect<X>
  readonly act: (given: Given, prepared: X) => Effect.Effect<Answer>
  readonly action: Action
  readonly event: (given: Given, prepared: X, answer: Answer) => Expected
  /** The status of a repetition that changes nothing. */
  readonly again?: number
}

/** An act with all that it needs, before it happens. */
interface Prepared {
  readonly act: Effect.Effect<Answer>
  readonly event: (answer: Answer) => Expected
}

interface Row {
  readonly route: string
  readonly action: Action
  readonly name: string
  readonly again: number | undefined
  readonly prepare: (given: Given) => Effect.Effect<Prepared>
}

/** Tables that the service itself writes at any time: it moves events from the outbox to the log, and sends them to endpoints. */
const moving = [
  "event_outbox",
  "events",
  "event_log_end",
  "event_watermarks",
  "webhook_attempts",
  "webhook_deliveries",
  "webhook_sequences",
  "work_jobs",
  "work_lanes"
]

/** The whole database, without the trail and without the times that every request updates. */
const everything = ({ databaseUrl }: RunningServer) =>
  Effect.gen(function* () {
    // Builds one statement that reads all tables.
    const [ofAll] = yield* execute(
      databaseUrl,
      `select string_agg(
         format('select %L as name, (to_jsonb(t) - ''last_used_at'' - ''last_seen_at'')::text as line from %I t', tablename, tablename),
         ' union all '
       ) || ' union all select ''events'', id::text from event_outbox union all select ''events'', id::text from events' as lines
       from pg_tables where schemaname = 'public' and tablename <> all ($1) and tablename !~ '^(events|webhook_attempts|webhook_deliveries)_'`,
      [moving]
    )
    return yield* execute(databaseUrl, `${ofAll?.lines} order by name, line`)
  }).pipe(Effect.orDie)

const row = <X>({ act, action, again, event, prepare, route, what }: Act<X>): Row => ({
  route,
  action,
  name: what === undefined ? route : `${route}, ${what}`,
  again,
  prepare: (given) =>
    Effect.map(prepare(given), (prepared) => ({
      act: act(given, prepared),
      event: (answer) => event(given, prepared, answer)
    }))
})

const nothing = () => Effect.void

const about = (kind: string, id: unknown, name: unknown, details: unknown = {}): Expected => ({
  resource: { kind, id, name },
  details
})

/** What an act is about, and how its event names it. */
interface Thing {
  readonly kind: string
  readonly id: string
  readonly name: unknown
}

/** An act of the owner on a thing that exists, whose id is the route's parameter. */
const on = (
  thing: (given: Given) => Effect.Effect<Thing>,
  route: string,
  action: Action,
  more: {
    readonly what?: string
    readonly json?: object
    readonly details?: unknown
    /** Its name afterwards. */
    readonly name?: string
    readonly again?: number
  } = {}
): Row => {
  const { details, json, name, ...others } = more
  const [method = "", path = ""] = route.split(" ")
  return row({
    route,
    ...others,
    prepare: thing,
    act: ({ ask }, { id }) => ask(method, path.replace(/:\w+/, id), json),
    action,
    event: (_, { id, kind, name: former }) => about(kind, id, name ?? former, details)
  })
}

const ownUser = ({ owner }: Given, details: unknown) => about("user", owner.userId, owner.email, details)

const signIn = (server: RunningServer, { email, password }: Pick<Member, "email" | "password">) =>
  send(server, "POST", "/api/auth/login", { headers: { "user-agent": userAgent }, json: { email, password } })

/** The id of another session of the owner. */
const otherSession = ({ ask }: Given) =>
  Effect.map(ask("GET", "/api/auth/sessions"), ({ body }) =>
    field(body, "sessions", 0, "current") === true
      ? text(body, "sessions", 1, "id")
      : text(body, "sessions", 0, "id")
  )

const invited = ({ ask }: Given, name = `${crypto.randomUUID()}@example.com`) =>
  Effect.gen(function* () {
    const { body } = yield* ask("POST", "/api/invitations", { email: name, role: "member" })
    const token = text(body, "url").split("#token=")[1] ?? ""
    return { kind: "invitation", id: text(body, "invitation", "id"), name, token }
  })

const accepted = (what: string, isTaken: boolean): Row =>
  row({
    route: "POST /api/auth/invitation/accept",
    what,
    prepare: (given) =>
      Effect.gen(function* () {
        const invitation = yield* invited(given, isTaken ? (yield* signUp(given.server)).email : undefined)
        return { ...invitation, other: isTaken ? { email: `${crypto.randomUUID()}@example.com` } : {} }
      }),
    act: ({ server }, { other, token }) =>
      send(server, "POST", "/api/auth/invitation/accept", {
        headers: { "user-agent": userAgent },
        json: { token, password: better, ...other }
      }),
    action: "invitation.accepted",
    event: (_, { id, kind, name, other }, { body }) => ({
      actor: { kind: "user", id: text(body, "user", "id"), name: "email" in other ? other.email : name },
      resource: { kind, id, name },
      details: { user_id: text(body, "user", "id"), role: "member", ...other }
    }),
    again: 404
  })

const viewer = ({ owner, server }: Given) =>
  Effect.map(join(server, owner, "viewer"), ({ email, userId }) => ({
    kind: "user",
    id: userId,
    name: email
  }))

const account: ReadonlyArray<Row> = [
  row({
    route: "POST /api/auth/login",
    prepare: nothing,
    act: ({ owner, server }) => signIn(server, owner),
    action: "user.signed_in",
    event: (given) => ownUser(given, { session_id: anId })
  }),
  row({
    route: "POST /api/auth/logout",
    // In another session: the test reads the trail with the first one.
    prepare: ({ owner, server }) =>
      Effect.map(signIn(server, owner), ({ headers }) => headers.get("set-cookie")?.split(";")[0] ?? ""),
    act: ({ server }, cookie) => askAs(server, { cookie })("POST", "/api/auth/logout"),
    action: "user.signed_out",
    event: (given) => ownUser(given, { session_id: anId }),
    again: 401
  }),
  row({
    route: "POST /api/auth/password",
    prepare: ({ owner, server }) => signIn(server, owner),
    act: ({ ask, owner }) =>
      ask("POST", "/api/auth/password", { currentPassword: owner.password, newPassword: better }),
    action: "user.password_changed",
    event: (given) => ownUser(given, { sessions_ended: 1 }),
    again: 403
  }),
  row({
    route: "POST /api/auth/sessions/:id/end",
    prepare: (given) => Effect.zipRight(signIn(given.server, given.owner), otherSession(given)),
    act: ({ ask }, id) => ask("POST", `/api/auth/sessions/${id}/end`),
    action: "user.session_ended",
    event: (given, session_id) => ownUser(given, { session_id }),
    again: 404
  }),
  row({
    route: "POST /api/auth/sessions/end-others",
    prepare: ({ owner, server }) => Effect.replicateEffect(signIn(server, owner), 2),
    act: ({ ask }) => ask("POST", "/api/auth/sessions/end-others"),
    action: "user.other_sessions_ended",
    event: (given) => ownUser(given, { sessions_ended: 2 }),
    again: 200
  })
]

const members: ReadonlyArray<Row> = [
  row({
    route: "POST /api/invitations",
    prepare: () => Effect.sync(() => ` ${crypto.randomUUID()}@Example.com`),
    act: ({ ask }, email) => ask("POST", "/api/invitations", { email, role: "viewer" }),
    action: "invitation.created",
    event: (_, email, { body }) =>
      about("invitation", text(body, "invitation", "id"), email.trim().toLowerCase(), { role: "viewer" })
  }),
  on((given) => invited(given), "POST /api/invitations/:id/withdraw", "invitation.withdrawn", {
    details: { role: "member" },
    again: 404
  }),
  accepted("with the invited address", false),
  accepted("with another address, because that is taken", true),
  on(viewer, "PATCH /api/members/:id", "member.role_changed", {
    json: { role: "member" },
    details: { from: "viewer", to: "member" },
    again: 200
  }),
  on(viewer, "POST /api/members/:id/remove", "member.removed", { details: { role: "viewer" }, again: 404 })
]

const keys: ReadonlyArray<Row> = [
  row({
    route: "POST /api/api-keys",
    prepare: nothing,
    act: ({ ask }) =>
      ask("POST", "/api/api-keys", { name: " server ", scopes: ["kyc"], expiresAt: "2100-01-01" }),
    action: "api_key.created",
    event: (_, __, { body }) =>
      about("api_key", text(body, "apiKey", "id"), "server", {
        token_prefix: text(body, "apiKey", "token_prefix"),
        scopes: ["kyc"],
        expires_at: "2100-01-01T00:00:00.000Z"
      })
  }),
  on(
    ({ owner, server }) =>
      Effect.map(createKey(server, owner, { name: "server" }), ({ id }) => ({
        kind: "api_key",
        id,
        name: "server"
      })),
    "POST /api/api-keys/:id/revoke",
    "api_key.revoked",
    { again: 200 }
  )
]

const uploaded = ({ owner, server }: Given) =>
  Effect.gen(function* () {
    const key = yield* createKey(server, owner, { name: "reader" })
    const { id: instanceId } = yield* createInstance(server, owner)
    const session = yield* createSession(server, key.token, instanceId)
    const { body } = yield* upload(server, session, samples.pdf)
    const id = text(body, "file", "id")
    return { key, session, id, path: `/api/kyc/sessions/${session.id}/files/${id}` }
  })

const wasRead = (id: string, sessionId: string, original: boolean) =>
  about("kyc_file", id, null, {
    session_id: sessionId,
    content_type: "application/pdf",
    size: samples.pdf.length,
    original
  })

/** An instance, after a change. */
const flow =
  (change: object = {}) =>
  ({ ask, owner, server }: Given) =>
    Effect.gen(function* () {
      const { id } = yield* createInstance(server, owner, { name: "flow" })
      yield* ask("PATCH", `/api/kyc/instances/${id}`, change)
      return { kind: "kyc_instance", id, name: "flow" }
    })

const aSession = ({ owner, server }: Given) =>
  Effect.gen(function* () {
    const { token } = yield* createKey(server, owner)
    const { id } = yield* createSession(server, token, (yield* createInstance(server, owner)).id)
    return { kind: "kyc_session", id, name: null }
  })

/** A session that waits for a decision, after another act on it. */
const reviewed =
  (review?: object, before?: string) =>
  ({ ask, owner, server }: Given) =>
    Effect.gen(function* () {
      const company = yield* reviewingCompanyOf(server, owner, yield* createKey(server, owner), review)
      const { id } = yield* waitingSession(company)
      if (before !== undefined) yield* ask("POST", `/api/kyc/sessions/${id}/${before}`)
      return { kind: "kyc_session", id, name: null }
    })

const decide = "POST /api/kyc/sessions/:id/review"
const change = "PATCH /api/kyc/instances/:id"

const kyc: ReadonlyArray<Row> = [
  on(reviewed(), `${decide}/claim`, "kyc_session.claimed", { again: 200 }),
  on(reviewed({}, "review/claim"), `${decide}/release`, "kyc_session.released", { again: 200 }),
  on(reviewed({ fourEyes: true }), decide, "kyc_session.review_proposed", {
    what: "with four eyes",
    json: { decision: "approved" },
    details: { decision: "approved", reasons: [] },
    again: 403
  }),
  on(reviewed(), decide, "kyc_session.reviewed", {
    what: "declined",
    json: { decision: "declined", reasons: ["other"] },
    details: { decision: "declined", reasons: ["other"] },
    again: 409
  }),
  on(reviewed(), "POST /api/kyc/sessions/:id/notes", "kyc_session.noted", {
    json: { text: "Called the customer" }
  }),
  on(aSession, "POST /api/kyc/sessions/:id/redact", "kyc_session.redacted"),
  on(aSession, "POST /api/kyc/sessions/:id/cancel", "kyc_session.cancelled", { again: 409 }),
  on(aSession, "POST /api/kyc/sessions/:id/resume", "kyc_session.resumed", {
    details: { expires_at: anInstant }
  }),
  row({
    route: "POST /api/kyc/instances/:id/test-session",
    prepare: ({ owner, server }) => createInstance(server, owner),
    act: ({ ask }, { id }) => ask("POST", `/api/kyc/instances/${id}/test-session`),
    action: "kyc_session.created",
    event: (_, { id }, { body }) =>
      about("kyc_session", text(body, "session", "id"), null, { instance_id: id, mode: "dev" })
  }),
  row({
    route: "GET /api/kyc/sessions/:id/export",
    prepare: uploaded,
    act: ({ ask }, { session }) => ask("GET", `/api/kyc/sessions/${session.id}/export`),
    action: "kyc_session.exported",
    event: (_, { session }) => about("kyc_session", session.id, null, { files: 1 })
  }),
  row({
    route: `${decide}/link`,
    prepare: ({ ask, owner, server }) =>
      Effect.gen(function* () {
        const company = yield* reviewingCompanyOf(server, owner, yield* createKey(server, owner))
        const { id } = yield* waitingSession(company)
        const again = { decision: "resubmission", steps: ["document"] }
        const { body } = yield* ask("POST", `/api/kyc/sessions/${id}/review`, again)
        return { id, next: text(body, "review", "next_session_id") }
      }),
    act: ({ ask }, { id }) => ask("POST", `/api/kyc/sessions/${id}/review/link`),
    action: "kyc_session.resumed",
    event: (_, { next }) => about("kyc_session", next, null, { expires_at: anInstant })
  }),
  row({
    route: "POST /api/kyc/instances",
    prepare: nothing,
    act: ({ ask }) => ask("POST", "/api/kyc/instances", { name: "flow" }),
    action: "kyc_instance.created",
    event: (_, __, { body }) =>
      about("kyc_instance", text(body, "instance", "id"), "flow", {
        public_key: text(body, "instance", "public_key"),
        version_id: anId
      })
  }),
  on(flow(), change, "kyc_instance.changed", {
    what: "its name",
    json: { name: "new" },
    details: { name: { from: "flow", to: "new" } },
    name: "new",
    again: 200
  }),
  on(flow(), change, "kyc_instance.changed", {
    what: "its config",
    json: { config: { v: 1 } },
    details: {
      version_id: { from: anId, to: anId },
      config_changed: true,
      workflow_changed: false
    },
    again: 200
  }),
  on(flow(), change, "kyc_instance.disabled", {
    what: "disabled",
    json: { disabled: true },
    again: 200
  }),
  on(flow({ disabled: true }), change, "kyc_instance.enabled", {
    what: "enabled",
    json: { disabled: false },
    again: 200
  }),
  row({
    route: "GET /api/kyc/sessions/:id/files/:fileId",
    what: "by a dashboard user",
    prepare: uploaded,
    act: ({ ask }, { path }) => ask("GET", `${path}?original=true`),
    action: "kyc_file.read",
    event: (_, { id, session }) => wasRead(id, session.id, true)
  }),
  row({
    route: "GET /api/kyc/sessions/:id/files/:fileId",
    what: "by a platform key",
    prepare: uploaded,
    act: ({ server }, { key, path }) =>
      send(server, "GET", path, { headers: { "x-api-key": key.token, "user-agent": userAgent } }),
    action: "kyc_file.read",
    event: (_, { id, key, session }) => ({
      ...wasRead(id, session.id, false),
      actor: { kind: "api_key", id: key.id, name: "reader" }
    })
  })
]

const subscribe = (
  { ask }: Given,
  api: { readonly id: string; readonly planId: string },
  key: string = crypto.randomUUID()
) =>
  ask(
    "POST",
    `${marketplace}/apis/${api.id}/subscribe`,
    { planId: api.planId, name: "first" },
    { "idempotency-key": key }
  )

const subscription = (given: Given) =>
  Effect.gen(function* () {
    const api = yield* publishApi(given.server, given.owner)
    const { body } = yield* subscribe(given, api)
    return { api, id: text(body, "subscription", "id"), keyId: text(body, "apiKey", "id") }
  })

const subscriptions: ReadonlyArray<Row> = [
  row({
    route: "POST /api/api-marketplace/apis/:apiId/subscribe",
    what: "of which repeats are one",
    prepare: (given) =>
      Effect.map(publishApi(given.server, given.owner), (api) => ({ api, key: crypto.randomUUID() })),
    act: (given, { api, key }) => subscribe(given, api, key),
    action: "subscription.created",
    event: (_, { api }, { body }) =>
      about("subscription", text(body, "subscription", "id"), "Weather", {
        api_id: api.id,
        plan_id: api.planId,
        key: {
          id: text(body, "apiKey", "id"),
          name: "first",
          token_prefix: text(body, "apiKey", "token_prefix")
        }
      }),
    again: 201
  }),
  row({
    route: "POST /api/api-marketplace/subscriptions/:id/cancel",
    prepare: subscription,
    act: ({ ask }, { id }) => ask("POST", `${marketplace}/subscriptions/${id}/cancel`),
    action: "subscription.cancelled",
    event: (_, { api, id }) => about("subscription", id, "Weather", { api_id: api.id }),
    again: 200
  }),
  row({
    route: "POST /api/api-marketplace/subscriptions/:id/keys",
    prepare: subscription,
    act: ({ ask }, { id }) =>
      ask("POST", `${marketplace}/subscriptions/${id}/keys`, { name: "second", mode: "test" }),
    action: "marketplace_key.created",
    event: (_, { id }, { body }) =>
      about("marketplace_key", text(body, "apiKey", "id"), "second", {
        subscription_id: id,
        mode: "test",
        token_prefix: text(body, "apiKey", "token_prefix")
      })
  }),
  row({
    route: "POST /api/api-marketplace/keys/:id/revoke",
    prepare: subscription,
    act: ({ ask }, { keyId }) => ask("POST", `${marketplace}/keys/${keyId}/revoke`),
    action: "marketplace_key.revoked",
    event: (_, { id, keyId }) =>
      about("marketplace_key", keyId, "first", { subscription_id: id, mode: "live" }),
    again: 200
  }),
  row({
    route: "POST /api/api-marketplace/keys/:id/rotate",
    prepare: subscription,
    act: ({ ask }, { keyId }) => ask("POST", `${marketplace}/keys/${keyId}/rotate`, { graceSeconds: 60 }),
    action: "marketplace_key.rotated",
    event: (_, { id, keyId }, { body }) =>
      about("marketplace_key", keyId, "first", {
        subscription_id: id,
        mode: "live",
        rotated_to: text(body, "apiKey", "id"),
        token_prefix: text(body, "apiKey", "token_prefix"),
        grace_seconds: 60
      }),
    again: 409
  })
]

const draft = ({ ask }: Given) =>
  Effect.gen(function* () {
    yield* ask("POST", `${marketplace}/publishers`, { slug: freshSlug(), name: "Acme" })
    const { body } = yield* ask("POST", `${marketplace}/apis`, { slug: freshSlug(), name: "Weather" })
    const id = text(body, "api", "id")
    return { kind: "api", id, name: "Weather", path: `${marketplace}/apis/${id}` }
  })

const publishing: ReadonlyArray<Row> = [
  row({
    route: "POST /api/api-marketplace/publishers",
    prepare: () => Effect.sync(freshSlug),
    act: ({ ask }, slug) => ask("POST", `${marketplace}/publishers`, { slug, name: "Acme" }),
    action: "publisher.created",
    event: (_, slug, { body }) => about("publisher", text(body, "publisher", "id"), "Acme", { slug }),
    again: 409
  }),
  row({
    route: "POST /api/api-marketplace/apis",
    prepare: (given) => Effect.as(draft(given), "second"),
    act: ({ ask }, slug) => ask("POST", `${marketplace}/apis`, { slug, name: "Second" }),
    action: "api.created",
    event: (_, slug, { body }) => about("api", text(body, "api", "id"), "Second", { slug }),
    again: 409
  }),
  on(draft, `PATCH ${marketplace}/apis/:apiId`, "api.changed", {
    json: { name: "Climate", description: "Of tomorrow" },
    details: { name: { from: "Weather", to: "Climate" }, description: "changed" },
    name: "Climate",
    again: 200
  }),
  row({
    route: "POST /api/api-marketplace/apis/:apiId/versions",
    prepare: draft,
    act: ({ ask }, { path }) => ask("POST", `${path}/versions`, { version: "2", upstreamUrl }),
    action: "api_version.created",
    event: (_, { id }, { body }) => about("api_version", text(body, "version", "id"), "2", { api_id: id }),
    again: 409
  }),
  row({
    route: "POST /api/api-marketplace/apis/:apiId/plans",
    prepare: draft,
    act: ({ ask }, { path }) => ask("POST", `${path}/plans`, { name: "Free", requestsPerMinute: 60 }),
    action: "api_plan.created",
    event: (_, { id }, { body }) =>
      about("api_plan", text(body, "plan", "id"), "Free", {
        api_id: id,
        requests_per_minute: 60,
        requests_per_month: null
      }),
    again: 409
  }),
  on(draft, `POST ${marketplace}/apis/:apiId/publish`, "api.published", { again: 200 }),
  on(
    (given) => Effect.tap(draft(given), ({ path }) => given.ask("POST", `${path}/publish`)),
    `POST ${marketplace}/apis/:apiId/unpublish`,
    "api.unpublished",
    { again: 200 }
  )
]

const hooks = "/api/webhook-endpoints"

/** An endpoint, after a change. */
const hook =
  (change: object = {}) =>
  ({ ask }: Given) =>
    Effect.gen(function* () {
      const { body } = yield* ask("POST", hooks, { url: upstreamUrl })
      const id = text(body, "endpoint", "id")
      yield* ask("PATCH", `${hooks}/${id}`, change)
      return { kind: "webhook_endpoint", id, name: new URL(upstreamUrl).host }
    })

/** A delivery of an endpoint that was disabled when it was recorded, and is enabled now. */
const heldDelivery = (given: Given) =>
  Effect.gen(function* () {
    const { id } = yield* hook({ status: "disabled" })(given)
    yield* createKey(given.server, given.owner)
    yield* given.ask("GET", "/api/events")
    yield* given.ask("PATCH", `${hooks}/${id}`, { status: "enabled" })
    const { body } = yield* given.ask("GET", `${hooks}/${id}/deliveries`)
    return { id, delivery: text(body, "deliveries", 0, "id"), event: text(body, "deliveries", 0, "event_id") }
  })

const webhooks: ReadonlyArray<Row> = [
  row({
    route: `POST ${hooks}`,
    prepare: nothing,
    act: ({ ask }) => ask("POST", hooks, { url: upstreamUrl, eventTypes: ["webhook.test"] }),
    action: "webhook_endpoint.created",
    event: (_, __, { body }) =>
      about("webhook_endpoint", text(body, "endpoint", "id"), new URL(upstreamUrl).host, {
        signing: "v1",
        event_types: ["webhook.test"]
      })
  }),
  on(hook(), `PATCH ${hooks}/:id`, "webhook_endpoint.changed", {
    what: "its description",
    json: { description: "new" },
    details: { event_types: null },
    again: 200
  }),
  on(hook(), `PATCH ${hooks}/:id`, "webhook_endpoint.disabled", {
    what: "disabled",
    json: { status: "disabled" },
    again: 200
  }),
  on(hook({ status: "disabled" }), `PATCH ${hooks}/:id`, "webhook_endpoint.enabled", {
    what: "enabled",
    json: { status: "enabled" },
    again: 200
  }),
  on(hook(), `POST ${hooks}/:id/remove`, "webhook_endpoint.removed", { json: {}, again: 404 }),
  on(hook(), `POST ${hooks}/:id/secret/rotate`, "webhook_endpoint.secret_rotated", {
    json: { overlapSeconds: 60 },
    details: { overlap_seconds: 60 }
  }),
  on(hook(), `POST ${hooks}/:id/test`, "webhook_endpoint.tested", { json: {} }),
  on(hook(), `POST ${hooks}/:id/drill`, "webhook_endpoint.drilled", { json: {} }),
  row({
    route: `POST ${hooks}/:id/recover`,
    prepare: (given) =>
      Effect.map(heldDelivery(given), ({ id }) => ({
        id,
        since: new Date(Date.now() - 3_600_000).toISOString()
      })),
    act: ({ ask }, { id, since }) => ask("POST", `${hooks}/${id}/recover`, { since }),
    action: "webhook_endpoint.recovered",
    event: (_, { id, since }) =>
      about("webhook_endpoint", id, new URL(upstreamUrl).host, { since, deliveries: 1 }),
    again: 202
  }),
  row({
    route: "POST /api/webhook-deliveries/:id/retry",
    prepare: heldDelivery,
    act: ({ ask }, { delivery }) => ask("POST", `/api/webhook-deliveries/${delivery}/retry`),
    action: "webhook_delivery.retried",
    event: (_, { delivery, event, id }) =>
      about("webhook_delivery", delivery, new URL(upstreamUrl).host, { endpoint_id: id, event_id: event })
  })
]

const recorded = [...account, ...members, ...keys, ...kyc, ...subscriptions, ...publishing, ...webhooks]

/** Actions of operators and of doorlock itself, and those that this file tests apart. */
const testedElsewhere: ReadonlyArray<Action> = [
  "company.created",
  "user.sign_in_refused",
  "kyc_session.link_shown",
  "user.created",
  "user.password_reset",
  "api.taken_down",
  "api.allowed",
  "kyc_session.files_deleted",
  "audit.began",
  "audit.sealed"
]

/** Routes that write, but record no event. */
const notRecorded: ReadonlyArray<readonly [routes: RegExp, because: string]> = [
  [/^POST \/api\/auth\/invitation$/, "it looks an invitation up, and changes nothing"],
  [
    /^POST \/api\/kyc\/public\/sessions$/,
    "a platform key makes thousands a minute, each of which is a record of its own"
  ],
  [/^POST \/api\/kyc\/public\/sessions\/:sessionId\//, "an end user acts, of whom the session is the record"],
  [/^POST \/mcp$/, "the routes of the tools record what a call changes"],
  [/^POST \/api\/kyc\/captcha\/redeem$/, "nobody acts for a company"]
]

const newCompany = Effect.gen(function* () {
  const server = yield* TestServer
  const owner = yield* signUp(server)
  return { server, owner, ask: askAs(server, owner) } satisfies Given
})

/**
 * Each act prepared in a company of its own, on a server of their own: then all of them are tried while no event can be written, and
 * the whole database is compared.
 */
class Acts extends Context.Tag("Acts")<
  Acts,
  {
    readonly prepared: ReadonlyArray<Prepared & { readonly given: Given; readonly before: number }>
    readonly refused: ReadonlyArray<Answer>
    readonly changed: readonly [before: unknown, after: unknown]
  }
>() {
  static readonly layer = Layer.effect(
    Acts,
    Effect.gen(function* () {
      const server = yield* TestServer
      const prepared = yield* Effect.forEach(recorded, ({ prepare }) =>
        Effect.gen(function* () {
          const given = yield* newCompany
          const ready = yield* prepare(given)
          return { ...ready, given, before: yield* countEvents(server, given.owner.companyId) }
        })
      )
      const before = yield* everything(server)
      const refused = yield* withoutTrail(
        server,
        "all",
        Effect.forEach(prepared, ({ act }) => act)
      )
      return { prepared, refused, changed: [before, yield* everything(server)] as const }
    })
  )
}

const ownServer = Layer.scoped(TestServer, Effect.orDie(startServer()))

suite(Layer.provideMerge(Acts.layer, ownServer))("the audit trail", (it) => {
  it.effect("an act whose event cannot be written is refused, and changes nothing", () =>
    Effect.gen(function* () {
      const { changed, refused } = yield* Acts
      for (const [i, { name }] of recorded.entries()) expect([name, refused[i]?.status]).toEqual([name, 500])
      const [before, after] = changed
      expect(after).toStrictEqual(before)
    })
  )

  describe("each action has exactly one event, and a repetition has none", () => {
    for (const [i, { action, again, name }] of recorded.entries()) {
      it.effect(name, () =>
        Effect.gen(function* () {
          const { act, before, event, given } = (yield* Acts).prepared[i] ?? expect.fail()
          const { owner, server } = given
          const answer = yield* act
          expect([answer.status, answer.text]).toStrictEqual([
            expect.toBeOneOf([200, 201, 202]),
            expect.anything()
          ])
          if (again !== undefined) expect((yield* act).status).toBe(again)
          const { actor, ...expected } = event(answer)
          expect(eventsOf(yield* auditEvents(server, owner)).slice(0, -before)).toStrictEqual([
            {
              id: anId,
              position: before + 1,
              at: anInstant,
              actor: actor ?? { kind: "user", id: owner.userId, name: owner.email },
              address: "127.0.0.1",
              user_agent: userAgent,
              action,
              ...expected,
              previous_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
              hash: expect.stringMatching(/^[0-9a-f]{64}$/)
            }
          ])
        })
      )
    }

    it.effect("POST /api/auth/signup", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const owner = yield* signUp(server)
        expect(eventsOf(yield* auditEvents(server, owner))).toMatchObject([
          {
            position: 1,
            action: "company.created",
            actor: { kind: "user", id: owner.userId, name: owner.email },
            resource: { kind: "company", id: owner.companyId, name: "Acme" },
            details: { owner: { id: owner.userId, email: owner.email } },
            previous_hash: "0".repeat(64)
          }
        ])
      })
    )

    it.effect("a change of several kinds has one event of each", () =>
      Effect.gen(function* () {
        const { ask, owner, server } = yield* newCompany
        const { id } = yield* createInstance(server, owner, { name: "flow" })
        const before = yield* countEvents(server, owner.companyId)
        yield* ask("PATCH", `/api/kyc/instances/${id}`, { name: "new", config: { v: 1 }, disabled: true })
        expect(eventsOf(yield* auditEvents(server, owner)).slice(0, -before)).toMatchObject([
          { action: "kyc_instance.disabled", resource: { id, name: "new" } },
          {
            action: "kyc_instance.changed",
            details: {
              name: { from: "flow", to: "new" },
              version_id: { from: anId, to: anId },
              config_changed: true,
              workflow_changed: false
            }
          }
        ])
      })
    )
  })

  it("every action is in the table, or is known to be tested elsewhere", () => {
    const known = new Set<string>([...recorded.map(({ action }) => action), ...testedElsewhere])
    const actions = actionFilters.filter((filter) => filter.includes("."))
    expect(actions.filter((action) => !known.has(action))).toStrictEqual([])
  })

  it.effect("every route that writes is in the table, or is known to have no events", () =>
    Effect.sync(() => {
      const known = new Set([...recorded.map(({ route }) => route), "POST /api/auth/signup"])
      const names = routes.map(({ name }) => name)
      for (const name of known) expect(names).toContain(name)
      for (const [pattern] of notRecorded) expect(names).toContainEqual(expect.stringMatching(pattern))
      const forgotten = routes.filter(
        ({ method, name }) =>
          method !== "GET" && !known.has(name) && !notRecorded.some(([pattern]) => pattern.test(name))
      )
      expect(forgotten.map(({ name }) => name)).toStrictEqual([])
    })
  )

  describe("refused sign-ins", () => {
    it.effect("are recorded if the account exists, and only then", () =>
      Effect.gen(function* () {
        const { owner, server } = yield* newCompany
        const before = yield* countEvents(server, owner.companyId)
        expect((yield* signIn(server, { email: owner.email, password: "not this one" })).status).toBe(401)
        expect((yield* signIn(server, { email: "unknown@example.com", password: better })).status).toBe(401)
        yield* eventually(
          "the event is written",
          Effect.map(countEvents(server, owner.companyId), (events) => events > before)
        )
        expect(eventsOf(yield* auditEvents(server, owner)).slice(0, -before)).toMatchObject([
          {
            action: "user.sign_in_refused",
            actor: { kind: "user", id: owner.userId, name: owner.email },
            address: "127.0.0.1",
            user_agent: userAgent,
            resource: { kind: "user", id: owner.userId, name: owner.email },
            details: {}
          }
        ])
      })
    )

    it.effect("get the same response when the event cannot be written", () =>
      Effect.gen(function* () {
        const { owner, server } = yield* newCompany
        const answer = yield* withoutTrail(
          server,
          owner.companyId,
          signIn(server, { email: owner.email, password: "not this one" })
        )
        expect([answer.status, answer.body]).toStrictEqual([401, { error: "Invalid email or password" }])
      })
    )
  })
})
