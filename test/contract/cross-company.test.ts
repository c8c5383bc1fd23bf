/**
 * A request with valid credentials of one company and an id of another's gets the same response as a request with an unknown
 * id: the whole response is equal, on every route that takes an id. A new route of the contract needs a row here.
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import {
  type Answer,
  createInstance,
  createKey,
  createSession,
  join,
  onboard,
  type SendOptions,
  send,
  text
} from "../support/client.ts"
import { routes } from "../support/contract.ts"
import { samples, upload } from "../support/kyc/files.ts"
import { make, newReceipt } from "../support/kyc/handoffs.ts"
import { unknownId } from "../support/kyc/partner.ts"
import { startReading } from "../support/kyc/readings.ts"
import { askingAs, freshSlug, upstreamUrl } from "../support/marketplace/publisher.ts"
import { subscribed, subscriberOf } from "../support/marketplace/subscriptions.ts"
import { type RunningServer, TestServer } from "../support/server.ts"
import { suite } from "../support/suite.ts"

const need = (answered: Effect.Effect<Answer>) =>
  Effect.flatMap(answered, (answer) =>
    answer.status < 300 ? Effect.succeed(answer.body) : Effect.die(new Error(answer.text))
  )

/** A company with one resource of each kind. */
const household = (server: RunningServer) =>
  Effect.gen(function* () {
    const { key, member: owner } = yield* onboard(server)
    const ask = askingAs(server, owner)
    const instance = yield* createInstance(server, owner)
    const session = yield* createSession(server, key.token, instance.id)
    const file = text(yield* need(upload(server, session, samples.jpeg)), "file", "id")
    yield* need(startReading(server, session, file))
    const handoff = yield* make({ server }, session)
    const invited = yield* need(
      send(server, "POST", "/api/invitations", {
        headers: { cookie: owner.cookie },
        json: { email: `invited-${crypto.randomUUID()}@example.com`, role: "viewer" }
      })
    )
    const own = yield* need(send(server, "GET", "/api/auth/sessions", { headers: { cookie: owner.cookie } }))
    yield* need(ask("POST", "/publishers", { slug: freshSlug(), name: "Acme Ltd" }))
    const newApi = Effect.suspend(() => need(ask("POST", "/apis", { slug: freshSlug(), name: "Test" }))).pipe(
      Effect.map((body) => text(body, "api", "id"))
    )
    const [draft, live] = [yield* newApi, yield* newApi]
    const plans: Array<string> = []
    for (const api of [draft, live]) {
      yield* need(ask("POST", `/apis/${api}/versions`, { version: "1", upstreamUrl }))
      plans.push(text(yield* need(ask("POST", `/apis/${api}/plans`, { name: "free" })), "plan", "id"))
    }
    yield* need(ask("POST", `/apis/${live}/publish`))
    const [draftPlan = "", planId = ""] = plans
    const subscription = subscribed(yield* subscriberOf(server, owner).subscribe({ id: live, planId }))
    const spare = yield* createKey(server, owner)
    const hook = text(
      yield* need(
        send(server, "POST", "/api/webhook-endpoints", {
          headers: { cookie: owner.cookie },
          json: { url: upstreamUrl }
        })
      ),
      "endpoint",
      "id"
    )
    const tested = yield* need(
      send(server, "POST", `/api/webhook-endpoints/${hook}/test`, { headers: { cookie: owner.cookie } })
    )
    const feed = yield* need(send(server, "GET", "/api/events", { headers: { "x-api-key": key.token } }))
    return {
      owner,
      member: yield* join(server, owner, "member"),
      key,
      spareKey: spare.id,
      instance,
      session,
      handoff,
      file,
      event: text(feed, "events", 0, "id"),
      hook,
      delivery: text(tested, "delivery", "id"),
      invitation: text(invited, "invitation", "id"),
      dashboardSession: text(own, "sessions", 0, "id"),
      draft,
      draftPlan,
      live,
      planId,
      subscription
    }
  })
type Household = Effect.Effect.Success<ReturnType<typeof household>>

/** A request: the ids are from `theirs`, everything else from `ours`. */
interface Row {
  /** The ids in the path, in order. */
  readonly ids: ReadonlyArray<keyof Ids>
  /** The session's token is in the query. */
  readonly byQuery?: true
  /** A body that the route would accept. */
  readonly json?: (theirs: Ids, ours: Household) => unknown
  readonly options?: (ours: Household) => SendOptions
  /** Why the ids' own company is also refused, if it is. */
  readonly alsoRefused?: string
}

/** A company's ids, or unknown ids in their place. */
const idsOf = (company: Household) => ({
  member: company.member.userId,
  invitation: company.invitation,
  dashboardSession: company.dashboardSession,
  apiKey: company.spareKey,
  instance: company.instance.id,
  session: company.session.id,
  file: company.file,
  handoff: company.handoff.id,
  draft: company.draft,
  draftPlan: company.draftPlan,
  plan: company.planId,
  subscription: company.subscription.id,
  marketplaceKey: company.subscription.keyId,
  event: company.event,
  hook: company.hook,
  delivery: company.delivery
})
type Ids = ReturnType<typeof idsOf>

const nobodys = (ids: Ids): Ids => {
  const none = { ...ids }
  for (const name of Object.keys(ids)) Reflect.set(none, name, unknownId)
  return none
}

const withToken = (more: object = {}) => ({
  json: (_: Ids, { session }: Household) => ({ token: session.token, ...more })
})

const withSecret = (more: object = {}) => ({
  json: (_: Ids, { handoff }: Household) => ({ secret: handoff.secret, ...more })
})

const rows: Readonly<Record<string, Row>> = {
  "PATCH /api/webhook-endpoints/:id": { ids: ["hook"], json: () => ({ description: "changed" }) },
  "POST /api/webhook-endpoints/:id/secret/rotate": { ids: ["hook"] },
  "POST /api/webhook-endpoints/:id/test": { ids: ["hook"] },
  "POST /api/webhook-endpoints/:id/drill": { ids: ["hook"] },
  "POST /api/webhook-endpoints/:id/recover": {
    ids: ["hook"],
    json: () => ({ since: new Date(Date.now() - 1_000).toISOString() })
  },
  "GET /api/webhook-endpoints/:id/deliveries": { ids: ["hook"] },
  "GET /api/webhook-deliveries/:id": { ids: ["delivery"] },
  "POST /api/webhook-deliveries/:id/retry": { ids: ["delivery"] },
  "POST /api/webhook-endpoints/:id/remove": { ids: ["hook"] },
  "GET /api/events/:id": { ids: ["event"] },
  "POST /api/auth/sessions/:id/end": { ids: ["dashboardSession"] },
  "PATCH /api/members/:id": { ids: ["member"], json: () => ({ role: "viewer" }) },
  "POST /api/members/:id/remove": { ids: ["member"] },
  "POST /api/invitations/:id/withdraw": { ids: ["invitation"] },
  "POST /api/api-keys/:id/revoke": { ids: ["apiKey"] },
  "GET /api/kyc/instances/:id": { ids: ["instance"] },
  "GET /api/kyc/instances/:id/funnel": { ids: ["instance"] },
  "PATCH /api/kyc/instances/:id": { ids: ["instance"], json: () => ({ name: "renamed" }) },
  "POST /api/kyc/instances/:id/test-session": { ids: ["instance"] },
  "GET /api/kyc/sessions/:id/timeline": { ids: ["session"] },
  "GET /api/kyc/sessions/:id/export": { ids: ["session"] },
  "POST /api/kyc/sessions/:id/cancel": { ids: ["session"] },
  "POST /api/kyc/sessions/:id/resume": { ids: ["session"] },
  "GET /api/kyc/sessions/:id/matches": { ids: ["session"] },
  "GET /api/kyc/sessions/:id": { ids: ["session"] },
  "GET /api/kyc/sessions/:id/review": { ids: ["session"] },
  "POST /api/kyc/sessions/:id/review": { ids: ["session"], json: () => ({ decision: "approved" }) },
  "POST /api/kyc/sessions/:id/review/claim": { ids: ["session"] },
  "POST /api/kyc/sessions/:id/review/release": { ids: ["session"] },
  "POST /api/kyc/sessions/:id/review/link": { ids: ["session"] },
  "GET /api/kyc/sessions/:id/notes": { ids: ["session"] },
  "POST /api/kyc/sessions/:id/notes": { ids: ["session"], json: () => ({ text: "Called the customer" }) },
  "POST /api/kyc/sessions/:id/redact": { ids: ["session"] },
  "GET /api/kyc/sessions/:id/files": { ids: ["session"] },
  "GET /api/kyc/sessions/:id/files/:fileId": { ids: ["session", "file"] },
  "GET /api/kyc/public/sessions/:sessionId": { ids: ["session"], byQuery: true },
  "POST /api/kyc/public/sessions/:sessionId/receipt": { ids: ["session"], ...withToken() },
  "POST /api/kyc/public/sessions/:sessionId/progress": {
    ids: ["session"],
    ...withToken({ progress: { s_x: {} } })
  },
  "POST /api/kyc/public/sessions/:sessionId/files": {
    ids: ["session"],
    options: ({ session }) => ({
      headers: { authorization: `Bearer ${session.token}` },
      body: Buffer.from(samples.jpeg)
    })
  },
  "POST /api/kyc/public/sessions/:sessionId/dedup-check": {
    ids: ["session"],
    ...withToken({ keyHash: "d5b809910c48e00f61225dbcee51547ae68abb913eed4df9dadc4e2827123978" })
  },
  "POST /api/kyc/public/sessions/:sessionId/captcha/verify": {
    ids: ["session"],
    ...withToken({ captchaToken: "x", siteKey: "y" })
  },
  "POST /api/kyc/public/sessions/:sessionId/files/:fileId/reading": {
    ids: ["session", "file"],
    ...withToken()
  },
  "GET /api/kyc/public/sessions/:sessionId/files/:fileId/reading": {
    ids: ["session", "file"],
    byQuery: true
  },
  "POST /api/kyc/public/sessions/:sessionId/handoffs": { ids: ["session"], ...withToken() },
  "GET /api/kyc/public/sessions/:sessionId/handoffs/:handoffId": {
    ids: ["session", "handoff"],
    byQuery: true
  },
  "POST /api/kyc/public/sessions/:sessionId/handoffs/:handoffId/cancel": {
    ids: ["session", "handoff"],
    ...withToken()
  },
  "POST /api/kyc/public/sessions/:sessionId/handoff-links/inspect": { ids: ["session"], ...withSecret() },
  "POST /api/kyc/public/sessions/:sessionId/handoff-links/claim": {
    ids: ["session"],
    ...withSecret({ receipt: newReceipt() })
  },
  "POST /api/kyc/public/sessions/:sessionId/handoff-links/confirm": {
    ids: ["session"],
    ...withSecret({ receipt: newReceipt(), code: "12" })
  },
  "POST /api/kyc/public/sessions/:sessionId/complete": {
    ids: ["session"],
    ...withToken({ status: "cancelled" })
  },
  "GET /api/api-marketplace/apis/:apiId": { ids: ["draft"], alsoRefused: "a draft is in nobody's catalog" },
  "GET /api/api-marketplace/apis/:apiId/openapi.json": {
    ids: ["draft"],
    alsoRefused: "a draft is in nobody's catalog"
  },
  "PATCH /api/api-marketplace/apis/:apiId": { ids: ["draft"], json: () => ({ name: "renamed" }) },
  "POST /api/api-marketplace/apis/:apiId/versions": {
    ids: ["draft"],
    json: () => ({ version: "2", upstreamUrl })
  },
  "POST /api/api-marketplace/apis/:apiId/plans": { ids: ["draft"], json: () => ({ name: "paid" }) },
  "POST /api/api-marketplace/apis/:apiId/subscribe": {
    ids: ["draft"],
    json: ({ draftPlan }) => ({ planId: draftPlan, name: "mine" }),
    alsoRefused: "nobody subscribes to a draft",
    options: () => ({ headers: { "idempotency-key": crypto.randomUUID() } })
  },
  "POST /api/api-marketplace/apis/:apiId/publish": { ids: ["draft"] },
  "POST /api/api-marketplace/apis/:apiId/unpublish": { ids: ["draft"] },
  "GET /api/api-marketplace/apis/:id/usage": { ids: ["draft"] },
  "GET /api/api-marketplace/subscriptions/:id": { ids: ["subscription"] },
  "GET /api/api-marketplace/subscriptions/:id/usage": { ids: ["subscription"] },
  "GET /api/api-marketplace/subscriptions/:id/keys": { ids: ["subscription"] },
  "POST /api/api-marketplace/subscriptions/:id/keys": {
    ids: ["subscription"],
    json: () => ({ name: "another" })
  },
  "POST /api/api-marketplace/keys/:id/rotate": { ids: ["marketplaceKey"], json: () => ({}) },
  "POST /api/api-marketplace/keys/:id/revoke": { ids: ["marketplaceKey"] },
  "POST /api/api-marketplace/subscriptions/:id/cancel": { ids: ["subscription"] }
}

/** Routes without a row that take some kind of id, with the reason why no company owns it. */
const withoutRow: Readonly<Record<string, string>> = {
  "POST /api/kyc/public/sessions":
    "403 for another company's instance is the contract's own row (contract.md#instance-choice)",
  "GET /api/kyc/captcha/challenge": "a public key and a session's id, which every browser of the session has",
  "POST /api/kyc/captcha/redeem": "a challenge, which carries no id of a company's"
}

const takesAnId = ({ fields, pattern }: (typeof routes)[number]) =>
  pattern.includes(":") || fields.some((field) => /(?:Id|Key)$/.test(field) && field !== "idempotencyKey")

/** The headers that identify a company on this kind of route. */
const credentialsFor = (
  name: string
): ReadonlyArray<(ours: Household) => Readonly<Record<string, string>>> => {
  const asOwner = ({ owner }: Household) => ({ cookie: owner.cookie })
  const asServer = ({ key }: Household) => ({ "x-api-key": key.token })
  const credential = routes.find((route) => route.name === name)?.credential
  return credential === "dashboard" ? [asOwner] : credential === "key" ? [asOwner, asServer] : [() => ({})]
}

const statusAndText = ({ status, text: body }: Answer) => ({ status, body })

suite(TestServer.layer)("another company's ids", (it) => {
  it.effect("every route that takes an id has a row, or a reason", () =>
    Effect.sync(() => {
      const named = routes.filter(takesAnId).map(({ name }) => name)
      expect(named.filter((name) => !(name in rows) && !(name in withoutRow))).toEqual([])
      const known = new Set(routes.map(({ name }) => name))
      expect([...Object.keys(rows), ...Object.keys(withoutRow)].filter((name) => !known.has(name))).toEqual(
        []
      )
    })
  )

  describe("get the same response as unknown ids, although they exist", () => {
    it.effect("on every route", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const [ours, theirs] = [yield* household(server), yield* household(server)]
        const asked = (
          name: string,
          row: Row,
          ids: Ids,
          by: Household,
          headers: Readonly<Record<string, string>>
        ) => {
          const options = row.options?.(by) ?? {}
          const [method = "", pattern = ""] = name.split(" ")
          const left = [...row.ids]
          const path = pattern.replaceAll(/:\w+/g, () => ids[left.shift() ?? "session"])
          const query = row.byQuery === true ? `?token=${by.session.token}` : ""
          return send(server, method, path + query, {
            ...options,
            headers: { ...headers, ...options.headers },
            ...(row.json === undefined ? {} : { json: row.json(ids, by) })
          })
        }
        const ids = idsOf(theirs)
        for (const [name, row] of Object.entries(rows)) {
          for (const credential of credentialsFor(name)) {
            const [foreign, unknown] = [
              yield* asked(name, row, ids, ours, credential(ours)),
              yield* asked(name, row, nobodys(ids), ours, credential(ours))
            ]
            expect(statusAndText(foreign), name).toEqual(statusAndText(unknown))
            expect(foreign.status, name).toBe(404)
          }
        }
        // Afterwards the ids' owner succeeds with the same requests: the earlier ones changed nothing.
        for (const [name, row] of Object.entries(rows)) {
          if (row.alsoRefused !== undefined) continue
          const [credential = () => ({})] = credentialsFor(name)
          const own = yield* asked(name, row, ids, theirs, credential(theirs))
          expect(own.status === 404 ? `${name} ${own.text}` : "found").toBe("found")
        }
      })
    )
  })
})
