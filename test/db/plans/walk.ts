/** Calls every route once, and lists with every filter, as a company with more data than all others together. */
import { Effect } from "effect"
import { type Answer, type Member, send, signUp, text } from "../../support/client.ts"
import { routes } from "../../support/contract.ts"
import { newChallenge, solve } from "../../support/kyc/challenge.ts"
import { samples } from "../../support/kyc/files.ts"
import { newReceipt } from "../../support/kyc/handoffs.ts"
import { freshSlug, upstreamUrl } from "../../support/marketplace/publisher.ts"
import type { RunningServer } from "../../support/server.ts"

interface Asked {
  /** Values for the path's parameters, in order. */
  readonly ids?: ReadonlyArray<string>
  readonly query?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly body?: BodyInit
  readonly headers?: Readonly<Record<string, string>>
}

/** The walker's company, created through the API before the database was filled. */
export interface Host {
  readonly owner: Member
  readonly key: string
  readonly instance: { readonly id: string; readonly publicKey: string }
  readonly publisherSlug: string
  readonly api: { readonly id: string; readonly slug: string; readonly planId: string }
  readonly subscription: { readonly id: string; readonly token: string }
}

const statuses = ["created", "running", "completed", "failed", "cancelled"]
const everyDay = { from: "2000-01-01", to: "2100-01-01" }

/** Sends requests by route name, and records the routes that answered as expected. */
const asker = (server: Pick<RunningServer, "url">) => {
  const answered = new Set<string>()
  const ask = (name: string, { body, headers = {}, ids = [], json, query }: Asked = {}) => {
    const [method = "", pattern = ""] = name.split(" ")
    const rest = [...ids]
    const path = pattern.replaceAll(/:\w+/g, () => rest.shift() ?? "")
    return Effect.tap(
      send(server, method, query === undefined ? path : `${path}?${new URLSearchParams(query)}`, {
        headers,
        ...(json === undefined ? {} : { json }),
        ...(body === undefined ? {} : { body })
      }),
      (answer) => {
        if (answer.status < 400) answered.add(name)
      }
    )
  }
  /** Reads a text from a response that must be a success. */
  const get = (answer: Effect.Effect<Answer>, ...path: ReadonlyArray<string | number>) =>
    Effect.map(answer, (given) => text(given.body, ...path))
  return { ask, get, missed: () => routes.map(({ name }) => name).filter((name) => !answered.has(name)) }
}
type Asker = ReturnType<typeof asker>

const cookieOf = ({ headers }: Answer) => (headers.get("set-cookie") ?? "").split(";", 1)[0] ?? ""

const accounts = ({ ask, get }: Asker, { owner }: Host) =>
  Effect.gen(function* () {
    const { email, password } = owner
    const signIn = Effect.map(ask("POST /api/auth/login", { json: { email, password } }), cookieOf)
    const headers = { cookie: yield* signIn }
    yield* ask("POST /api/auth/signup", {
      json: { companyName: "Another", email: `another-${crypto.randomUUID()}@example.com`, password }
    })
    yield* ask("GET /api/auth/me", { headers })
    const sessionId = yield* get(
      ask("GET /api/auth/sessions", { headers: { cookie: yield* signIn } }),
      "sessions",
      1,
      "id"
    )
    yield* ask("POST /api/auth/sessions/:id/end", { headers: { cookie: yield* signIn }, ids: [sessionId] })
    const other = { cookie: yield* signIn }
    yield* ask("POST /api/auth/password", {
      headers: other,
      json: { currentPassword: password, newPassword: password }
    })
    yield* ask("POST /api/auth/sessions/end-others", { headers: other })
    yield* ask("POST /api/auth/logout", { headers: other })

    const own = { cookie: yield* signIn }
    const invite = () =>
      get(
        ask("POST /api/invitations", {
          headers: own,
          json: { email: `invited-${crypto.randomUUID()}@example.com`, role: "viewer" }
        }),
        "url"
      )
    const token = (yield* invite()).split("#token=")[1]
    yield* ask("POST /api/auth/invitation", { json: { token } })
    yield* ask("POST /api/auth/invitation/accept", { json: { token, password } })
    yield* invite()
    const invitation = yield* get(ask("GET /api/invitations", { headers: own }), "invitations", 0, "id")
    yield* ask("POST /api/invitations/:id/withdraw", { headers: own, ids: [invitation] })
    const members = yield* ask("GET /api/members", { headers: own })
    const last = text(members.body, "members", Object(members.body).members.length - 1, "id")
    yield* ask("PATCH /api/members/:id", { headers: own, ids: [last], json: { role: "member" } })
    yield* ask("POST /api/members/:id/remove", { headers: own, ids: [last] })
    return own
  })

type Credential = Readonly<Record<string, string>>

const keys = ({ ask, get }: Asker, headers: Credential) =>
  Effect.gen(function* () {
    const id = yield* get(ask("POST /api/api-keys", { headers, json: { name: "walk" } }), "apiKey", "id")
    yield* ask("GET /api/api-keys", { headers })
    const page = yield* get(ask("GET /api/api-keys", { headers, query: { limit: "1" } }), "next_cursor")
    yield* ask("GET /api/api-keys", { headers, query: { limit: "100", cursor: page } })
    yield* ask("GET /api/api-keys/stats", { headers })
    yield* ask("POST /api/api-keys/:id/revoke", { headers, ids: [id] })
  })

const instances = ({ ask, get }: Asker, headers: Credential) =>
  Effect.gen(function* () {
    const ids = [
      yield* get(ask("POST /api/kyc/instances", { headers, json: { name: "walk" } }), "instance", "id")
    ]
    yield* ask("GET /api/kyc/instances", { headers })
    yield* ask("GET /api/kyc/instances/:id", { headers, ids })
    yield* ask("PATCH /api/kyc/instances/:id", {
      headers,
      ids,
      json: { name: "walked", workflow: { v: 1, id: "w", version: 1, steps: [] } }
    })
    yield* ask("POST /api/kyc/instances/:id/test-session", { headers, ids })
  })

const reading = ({ ask, get }: Asker, headers: Credential, { key }: Host) =>
  Effect.gen(function* () {
    const looking = yield* get(
      ask("POST /api/kyc/instances", { headers, json: { name: "looking" } }),
      "instance",
      "id"
    )
    const { body } = yield* ask("POST /api/kyc/public/sessions", {
      headers: { "x-api-key": key },
      json: { instanceId: looking }
    })
    const [session, token] = [text(body, "session", "id"), text(body, "sessionToken")]
    const file = yield* get(
      ask("POST /api/kyc/public/sessions/:sessionId/files", {
        ids: [session],
        headers: { authorization: `Bearer ${token}` },
        body: Buffer.from(samples.jpeg)
      }),
      "file",
      "id"
    )
    const path = "/api/kyc/public/sessions/:sessionId/files/:fileId/reading"
    for (let times = 0; times < 2; times++) {
      yield* ask(`POST ${path}`, { ids: [session, file], json: { token } })
    }
    yield* ask(`GET ${path}`, { ids: [session, file], query: { token } })
  })

const browser = (given: Asker, server: RunningServer, { instance, key }: Host) =>
  Effect.gen(function* () {
    const { ask, get } = given
    const create = (json: object) =>
      ask("POST /api/kyc/public/sessions", { headers: { "x-api-key": key }, json })
    yield* create({ instanceKey: instance.publicKey, instanceId: instance.id })
    yield* create({ instanceKey: instance.publicKey })
    const created = yield* create({ instanceId: instance.id, externalReference: "walk" })
    const token = text(created.body, "sessionToken")
    const ids = [text(created.body, "session", "id")]
    const at = (rest: string, json: object = {}) =>
      ask(`POST /api/kyc/public/sessions/:sessionId${rest}`, { ids, json: { token, ...json } })

    yield* ask("GET /api/kyc/public/sessions/:sessionId", { ids, query: { token } })
    yield* send(server, "GET", `/kyc/session/${ids[0]}?token=${token}`)
    yield* at("/progress", { status: "running", progress: { s_person: { givenName: "Ada" } } })
    yield* at("/dedup-check", { keyHash: "a".repeat(64) })
    yield* at("/dedup-check", { keyHash: "a".repeat(64) })
    yield* ask("POST /api/kyc/public/sessions/:sessionId/files", {
      ids,
      headers: { authorization: `Bearer ${token}` },
      body: Buffer.from(samples.jpeg)
    })

    const purpose = { siteKey: instance.publicKey, sessionId: ids[0] ?? "" }
    yield* ask("GET /api/kyc/captcha/challenge", { query: purpose })
    const challenge = yield* newChallenge(server, purpose)
    const solution = yield* solve(challenge)
    const captchaToken = yield* get(
      ask("POST /api/kyc/captcha/redeem", { json: { challenge, solution } }),
      "token"
    )
    yield* at("/captcha/verify", { captchaToken, siteKey: instance.publicKey })

    const handOff = Effect.map(at("/handoffs"), ({ body }) => ({
      id: text(body, "handoff", "id"),
      secret: text(body, "url").split("#handoff=")[1]
    }))
    const first = yield* handOff
    yield* ask("POST /api/kyc/public/sessions/:sessionId/handoffs/:handoffId/cancel", {
      ids: [...ids, first.id],
      json: { token }
    })
    const { id, secret } = yield* handOff
    const receipt = newReceipt()
    const follow = ask("GET /api/kyc/public/sessions/:sessionId/handoffs/:handoffId", {
      ids: [...ids, id],
      query: { token }
    })
    const link = (rest: string, json: object) =>
      ask(`POST /api/kyc/public/sessions/:sessionId/handoff-links/${rest}`, {
        ids,
        json: { secret, ...json }
      })
    yield* link("inspect", { receipt })
    yield* link("claim", { receipt })
    yield* link("confirm", { receipt, code: yield* get(follow, "handoff", "code") })

    yield* at("/complete", { result: { outcome: "submitted" } })
    yield* at("/complete")
    yield* at("/receipt")
    yield* ask("GET /.well-known/doorlock-receipts.json")
    return ids[0] ?? ""
  })

/** The company reads its sessions: with each filter, with all filters together, the first page, and a page far behind. */
const partner = ({ ask, get }: Asker, headers: Credential, { instance, key }: Host, sessionId: string) =>
  Effect.gen(function* () {
    const byKey = { "x-api-key": key }
    const list = (query: Record<string, string>) => ask("GET /api/kyc/sessions", { headers: byKey, query })
    const all = yield* ask("GET /api/kyc/instances", { headers })
    const found: ReadonlyArray<{ readonly id: string }> = Object(all.body).instances
    const few = found.filter(({ id }) => id !== instance.id).slice(-4)
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
    const old = daysAgo(180).getTime()
    const older = Buffer.from(`${old}.${Bun.randomUUIDv7("hex", old)}`).toString("base64url")
    const references = (yield* list({ limit: "100" })).body
    const reference = Object(references).sessions.find(
      ({ external_reference }: { external_reference: string | null }) =>
        external_reference?.startsWith("customer")
    ).external_reference
    for (const cursor of [{}, { cursor: older }] as ReadonlyArray<Record<string, string>>) {
      yield* list({ ...cursor })
      yield* list({ ...cursor, limit: "100" })
      yield* list({ ...cursor, externalReference: reference })
      for (const status of statuses) {
        yield* list({ ...cursor, status })
        yield* list({ ...cursor, status, externalReference: reference, instanceId: instance.id })
      }
      for (const expired of ["true", "false"]) {
        yield* list({ ...cursor, expired })
        yield* list({ ...cursor, expired, instanceId: instance.id })
        for (const status of statuses) yield* list({ ...cursor, expired, status })
      }
      const filters: ReadonlyArray<Record<string, string>> = [
        { externalReferencePrefix: "customer-" },
        { externalReferencePrefix: reference },
        { flags: "true" },
        { flags: "false" },
        { review: "pending" },
        { review: "declined" },
        { status: "completed" },
        { instanceId: instance.id },
        { expired: "true" },
        { from: daysAgo(350).toISOString(), to: daysAgo(5).toISOString() },
        {}
      ]
      for (const [at, one] of filters.entries())
        for (const other of filters.slice(at))
          for (const order of ["newest", "oldest"])
            yield* list({ ...cursor, ...one, ...other, order, limit: "100" })
      for (const { id } of [instance, ...few]) {
        yield* list({ ...cursor, instanceId: id })
        for (const status of statuses) yield* list({ ...cursor, instanceId: id, status })
      }
    }
    yield* ask("GET /api/kyc/sessions.csv", { headers: byKey, query: { flags: "true" } })
    const unfinished = [
      yield* get(
        ask("POST /api/kyc/public/sessions", { headers: byKey, json: { instanceId: instance.id } }),
        "session",
        "id"
      )
    ]
    for (const json of [{}, { expiresInSeconds: 60 }]) {
      yield* ask("POST /api/kyc/sessions/:id/resume", { headers: byKey, ids: unfinished, json })
    }
    yield* ask("POST /api/kyc/sessions/:id/cancel", { headers, ids: unfinished })
    for (const query of [{}, { days: "366" }, { days: "90", instanceId: instance.id }] as ReadonlyArray<
      Record<string, string>
    >)
      yield* ask("GET /api/kyc/overview", { headers, query })
    for (const query of [{}, { from: daysAgo(300).toISOString() }] as ReadonlyArray<Record<string, string>>)
      yield* ask("GET /api/kyc/instances/:id/funnel", { headers: byKey, ids: [instance.id], query })
    yield* ask("POST /mcp", {
      headers: byKey,
      json: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list_sessions", arguments: {} } }
    })
    for (const credential of [byKey, headers]) {
      const ids = [sessionId]
      yield* ask("GET /api/kyc/sessions/:id", { headers: credential, ids })
      const event = yield* get(ask("GET /api/events", { headers: credential }), "events", 0, "id")
      yield* ask("GET /api/events/:id", { headers: credential, ids: [event] })
      for (const type of ["kyc.*", "kyc.session.completed", "api_key.revoked"]) {
        const narrower: ReadonlyArray<Readonly<Record<string, string>>> = [
          {},
          { order: "newest" },
          { resource: sessionId }
        ]
        for (const more of narrower) {
          yield* ask("GET /api/events", { headers: credential, query: { type, ...more } })
        }
      }
      for (const query of [{ order: "newest" }, { order: "oldest", resource: sessionId }] as const) {
        yield* ask("GET /api/events", { headers: credential, query })
      }
      yield* ask("GET /api/kyc/sessions/:id/timeline", { headers: credential, ids })
      yield* ask("GET /api/kyc/sessions/:id/matches", { headers: credential, ids })
      const file = yield* get(
        ask("GET /api/kyc/sessions/:id/files", { headers: credential, ids }),
        "files",
        0,
        "id"
      )
      yield* ask("GET /api/kyc/sessions/:id/export", { headers: credential, ids })
      yield* ask("GET /api/kyc/sessions/:id/files/:fileId", { headers: credential, ids: [...ids, file] })
    }
    for (let i = 0; i < 2; i++)
      yield* ask("POST /api/kyc/sessions/:id/redact", { headers: byKey, ids: [sessionId] })
  })

/** The queue with each filter, its first page and the one after it; and every act on a session that waits. */
const reviews = ({ ask, get }: Asker, headers: Credential, { instance, key, owner }: Host) =>
  Effect.gen(function* () {
    const list = (query: Record<string, string>) => ask("GET /api/kyc/reviews", { headers, query })
    yield* ask("GET /api/kyc/reviews/choices", { headers })
    const all = yield* ask("GET /api/kyc/instances", { headers })
    const found: ReadonlyArray<{ readonly id: string }> = Object(all.body).instances
    const few = found.filter(({ id }) => id !== instance.id).slice(-3)
    const decided = yield* list({ status: "decided", limit: "100" })
    const reviewer = text(decided.body, "reviews", 0, "decided_by")
    const narrower: ReadonlyArray<Record<string, string>> = [
      {},
      ...[instance, ...few].map(({ id }) => ({ instanceId: id })),
      { reviewer },
      { reviewer: owner.userId },
      { reviewer, instanceId: instance.id }
    ]
    for (const status of ["", "pending", "proposed", "decided"]) {
      for (const more of narrower) {
        const query = { ...more, ...(status === "" ? {} : { status }), limit: "100" }
        const { body } = yield* list(query)
        const cursor: unknown = Object(body).next_cursor
        if (typeof cursor === "string") yield* list({ ...query, cursor })
      }
    }

    for (const fourEyes of [true, false]) {
      const made = yield* get(
        ask("POST /api/kyc/instances", {
          headers,
          json: { name: `reviewed, ${fourEyes}`, config: { review: { mode: "manual", fourEyes } } }
        }),
        "instance",
        "id"
      )
      const created = yield* ask("POST /api/kyc/public/sessions", {
        headers: { "x-api-key": key },
        json: { instanceId: made }
      })
      const ids = [text(created.body, "session", "id")]
      yield* ask("POST /api/kyc/public/sessions/:sessionId/complete", {
        ids,
        json: { token: text(created.body, "sessionToken") }
      })
      for (const rest of ["claim", "claim", "release"] as const) {
        yield* ask(`POST /api/kyc/sessions/:id/review/${rest}`, { headers, ids })
      }
      yield* ask("POST /api/kyc/sessions/:id/notes", { headers, ids, json: { text: "Called the customer" } })
      yield* ask("GET /api/kyc/sessions/:id/notes", { headers, ids })
      const json = { decision: "resubmission", steps: ["document"], note: "Blurred" }
      // A proposal with four eyes, and a decision without.
      const credential = fourEyes ? headers : { "x-api-key": key }
      yield* ask("POST /api/kyc/sessions/:id/review", { headers: credential, ids, json })
      yield* ask("GET /api/kyc/sessions/:id/review", { headers: credential, ids })
      if (!fourEyes) yield* ask("POST /api/kyc/sessions/:id/review/link", { headers, ids })
    }
  })

const marketplace = "/api/api-marketplace"

/** As a company that publishes to everybody, and subscribes to its own API. */
const publishing = ({ ask, get }: Asker, server: RunningServer, headers: Credential, { api }: Host) =>
  Effect.gen(function* () {
    for (const query of [{}, { limit: "100" }, { offset: "400" }] as ReadonlyArray<Record<string, string>>)
      yield* ask(`GET ${marketplace}/apis`, { query })
    yield* ask(`GET ${marketplace}/openapi.json`)
    yield* ask(`GET ${marketplace}/apis/:apiId`, { ids: [api.id] })
    yield* ask(`GET ${marketplace}/apis/:apiId/openapi.json`, { ids: [api.id] })
    const { cookie } = yield* signUp(server)
    yield* ask(`POST ${marketplace}/publishers`, {
      headers: { cookie },
      json: { slug: freshSlug(), name: "New" }
    })
    yield* ask(`GET ${marketplace}/publisher`, { headers })
    yield* ask(`GET ${marketplace}/publisher/apis`, { headers })
    const made = get(
      ask(`POST ${marketplace}/apis`, { headers, json: { slug: freshSlug(), name: "New" } }),
      "api",
      "id"
    )
    const ids = [yield* made]
    const at = (method: string, rest: string, json: object = {}) =>
      ask(`${method} ${marketplace}/apis/:apiId${rest}`, { headers, ids, json })
    yield* at("PATCH", "", { name: "Newer" })
    yield* at("POST", "/versions", { version: "1", upstreamUrl })
    yield* at("POST", "/plans", { name: "free" })
    yield* at("POST", "/publish")
    yield* at("POST", "/unpublish")
    for (const query of [{}, { limit: "100", offset: "300" }] as ReadonlyArray<Record<string, string>>)
      yield* ask(`GET ${marketplace}/apis/:id/usage`, { headers, ids: [api.id], query })
  })

/** A period of usage. Without one, it is the present month, which may be of one day. */
const twoMonths = () => {
  const day = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10)
  return { from: day(60), to: day(0) }
}

const subscriptions = ({ ask, get }: Asker, server: RunningServer, headers: Credential, host: Host) =>
  Effect.gen(function* () {
    const { api, publisherSlug, subscription } = host
    const another = { cookie: (yield* signUp(server)).cookie }
    const subscribed = yield* ask(`POST ${marketplace}/apis/:apiId/subscribe`, {
      headers: { ...another, "idempotency-key": crypto.randomUUID() },
      ids: [api.id],
      json: { planId: api.planId, name: "walk" }
    })
    yield* ask(`POST ${marketplace}/subscriptions/:id/cancel`, {
      headers: another,
      ids: [text(subscribed.body, "subscription", "id")]
    })
    const ids = [subscription.id]
    yield* ask(`GET ${marketplace}/subscriptions`, { headers })
    yield* ask(`GET ${marketplace}/subscriptions/:id`, { headers, ids })
    yield* ask(`GET ${marketplace}/subscriptions/:id/keys`, { headers, ids })
    const key = yield* get(
      ask(`POST ${marketplace}/subscriptions/:id/keys`, { headers, ids, json: { name: "walk" } }),
      "apiKey",
      "id"
    )
    const next = yield* get(
      ask(`POST ${marketplace}/keys/:id/rotate`, { headers, ids: [key], json: {} }),
      "apiKey",
      "id"
    )
    yield* ask(`POST ${marketplace}/keys/:id/revoke`, { headers, ids: [next] })
    yield* ask(`GET ${marketplace}/subscriptions/:id/usage`, { headers, ids, query: twoMonths() })
    // No upstream answers; the call still counts.
    yield* send(server, "GET", `/gateway/${publisherSlug}/${api.slug}/v/1/x`, {
      headers: { "x-api-key": subscription.token }
    })
  })

/** With the endpoint that has a delivery of every event, and with a new one. */
const webhooks = ({ ask, get }: Asker, headers: Credential) =>
  Effect.gen(function* () {
    const [all, hooks] = ["/api/webhook-endpoints", "/api/webhook-endpoints/:id"]
    const ids = [yield* get(ask(`GET ${all}`, { headers }), "endpoints", 0, "id")]
    for (const status of ["", "pending", "succeeded", "failed", "held"]) {
      const query = { limit: "100", ...(status === "" ? {} : { status }) }
      const page = yield* ask(`GET ${hooks}/deliveries`, { headers, ids, query })
      if (status === "pending") continue
      const cursor = text(page.body, "next_cursor")
      yield* ask(`GET ${hooks}/deliveries`, { headers, ids, query: { ...query, cursor } })
    }
    const delivery = [
      yield* get(
        ask(`GET ${hooks}/deliveries`, { headers, ids, query: { status: "failed" } }),
        "deliveries",
        0,
        "id"
      )
    ]
    yield* ask("GET /api/webhook-deliveries/:id", { headers, ids: delivery })
    yield* ask("POST /api/webhook-deliveries/:id/retry", { headers, ids: delivery })
    const since = new Date(Date.now() - 3 * 86_400_000).toISOString()
    yield* ask(`POST ${hooks}/recover`, { headers, ids, json: { since } })

    const made = [yield* get(ask(`POST ${all}`, { headers, json: { url: upstreamUrl } }), "endpoint", "id")]
    const at = (rest: string) => ask(`POST ${hooks}${rest}`, { headers, ids: made })
    yield* at("/test")
    yield* at("/drill")
    yield* at("/secret/rotate")
    yield* ask(`PATCH ${hooks}`, { headers, ids: made, json: { status: "disabled" } })
    yield* at("/remove")
  })

/** With each filter, and with pairs of filters. Nearly all of the host's events have the same actor and action. */
const audit = ({ ask, get }: Asker, headers: Credential) =>
  Effect.gen(function* () {
    const list = (query: Record<string, string>) => ask("GET /api/audit-events", { headers, query })
    const reads = yield* list({ action: "kyc_file.read", limit: "100", cursor: "1000" })
    const event = (...path: ReadonlyArray<string | number>) =>
      get(Effect.succeed(reads), "events", 50, ...path)
    const filters: ReadonlyArray<Record<string, string>> = [
      {},
      { action: "kyc_file.read" },
      { action: "user.signed_in" },
      { action: "user" },
      { action: "api_key.created" },
      { actor: yield* event("actor", "id") },
      { actor: yield* event("actor", "id"), action: "api_key.created" },
      { resource: yield* event("resource", "id") }
    ]
    const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
    const periods: ReadonlyArray<Record<string, string>> = [
      {},
      { cursor: "1000" },
      { from: ago(10) },
      { to: ago(180) },
      { from: ago(200), to: ago(190) },
      everyDay
    ]
    for (const filter of filters)
      for (const period of periods) yield* list({ ...filter, ...period, limit: "100" })
  })

/**
 * Walks all routes.
 *
 * @returns the names of the routes that never answered as expected
 */
export const walk = (server: RunningServer, host: Host) =>
  Effect.gen(function* () {
    const given = asker(server)
    const { ask, missed } = given
    const headers = yield* accounts(given, host)
    yield* keys(given, headers)
    yield* instances(given, headers)
    const sessionId = yield* browser(given, server, host)
    yield* reading(given, headers, host)
    yield* partner(given, headers, host, sessionId)
    yield* reviews(given, headers, host)
    yield* publishing(given, server, headers, host)
    yield* subscriptions(given, server, headers, host)
    yield* webhooks(given, headers)
    yield* audit(given, headers)
    for (const name of ["GET /healthz", "GET /readyz", "GET /metrics"]) yield* ask(name)
    // A company without sessions finds none of the others' sessions.
    const { cookie } = yield* signUp(server)
    for (const status of ["", ...statuses])
      yield* ask("GET /api/kyc/sessions", { headers: { cookie }, query: { ...(status ? { status } : {}) } })
    return missed()
  })
