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
import { startReading, withPhotos } from "../support/kyc/readings.ts"
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
    const instance = yield* createInstance(server, owner, withPhotos)
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
  /** The path, with its ids. */
  readonly path: (theirs: Ids, ours: Household) => string
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

const publicSession = (rest: string) => ({
  path: ({ session }: Ids) => `/api/kyc/public/sessions/${session}${rest}`
})

const marketplace = "/api/api-marketplace"

const rows: Readonly<Record<string, Row>> = {
  "PATCH /api/webhook-endpoints/:id": {
    path: ({ hook }) => `/api/webhook-endpoints/${hook}`,
    json: () => ({ description: "changed" })
  },
  "POST /api/webhook-endpoints/:id/secret/rotate": {
    path: ({ hook }) => `/api/webhook-endpoints/${hook}/secret/rotate`
  },
  "POST /api/webhook-endpoints/:id/test": { path: ({ hook }) => `/api/webhook-endpoints/${hook}/test` },
  "POST /api/webhook-endpoints/:id/drill": { path: ({ hook }) => `/api/webhook-endpoints/${hook}/drill` },
  "POST /api/webhook-endpoints/:id/recover": {
    path: ({ hook }) => `/api/webhook-endpoints/${hook}/recover`,
    json: () => ({ since: new Date(Date.now() - 1_000).toISOString() })
  },
  "GET /api/webhook-endpoints/:id/deliveries": {
    path: ({ hook }) => `/api/webhook-endpoints/${hook}/deliveries`
  },
  "GET /api/webhook-deliveries/:id": { path: ({ delivery }) => `/api/webhook-deliveries/${delivery}` },
  "POST /api/webhook-deliveries/:id/retry": {
    path: ({ delivery }) => `/api/webhook-deliveries/${delivery}/retry`
  },
  "POST /api/webhook-endpoints/:id/remove": { path: ({ hook }) => `/api/webhook-endpoints/${hook}/remove` },
  "GET /api/events/:id": { path: ({ event }) => `/api/events/${event}` },
  "POST /api/auth/sessions/:id/end": {
    path: ({ dashboardSession }) => `/api/auth/sessions/${dashboardSession}/end`
  },
  "PATCH /api/members/:id": {
    path: ({ member }) => `/api/members/${member}`,
    json: () => ({ role: "viewer" })
  },
  "POST /api/members/:id/remove": { path: ({ member }) => `/api/members/${member}/remove` },
  "POST /api/invitations/:id/withdraw": {
    path: ({ invitation }) => `/api/invitations/${invitation}/withdraw`
  },
  "POST /api/api-keys/:id/revoke": { path: ({ apiKey }) => `/api/api-keys/${apiKey}/revoke` },
  "GET /api/kyc/instances/:id": { path: ({ instance }) => `/api/kyc/instances/${instance}` },
  "GET /api/kyc/instances/:id/funnel": { path: ({ instance }) => `/api/kyc/instances/${instance}/funnel` },
  "PATCH /api/kyc/instances/:id": {
    path: ({ instance }) => `/api/kyc/instances/${instance}`,
    json: () => ({ name: "renamed" })
  },
  "POST /api/kyc/instances/:id/test-session": {
    path: ({ instance }) => `/api/kyc/instances/${instance}/test-session`
  },
  "GET /api/kyc/sessions/:id/timeline": {
    path: ({ session }) => `/api/kyc/sessions/${session}/timeline`
  },
  "GET /api/kyc/sessions/:id/export": {
    path: ({ session }) => `/api/kyc/sessions/${session}/export`
  },
  "POST /api/kyc/sessions/:id/cancel": {
    path: ({ session }) => `/api/kyc/sessions/${session}/cancel`
  },
  "POST /api/kyc/sessions/:id/resume": {
    path: ({ session }) => `/api/kyc/sessions/${session}/resume`
  },
  "GET /api/kyc/sessions/:id/matches": { path: ({ session }) => `/api/kyc/sessions/${session}/matches` },
  "GET /api/kyc/sessions/:id": { path: ({ session }) => `/api/kyc/sessions/${session}` },
  "GET /api/kyc/sessions/:id/review": { path: ({ session }) => `/api/kyc/sessions/${session}/review` },
  "POST /api/kyc/sessions/:id/review": {
    path: ({ session }) => `/api/kyc/sessions/${session}/review`,
    json: () => ({ decision: "approved" })
  },
  "POST /api/kyc/sessions/:id/review/claim": {
    path: ({ session }) => `/api/kyc/sessions/${session}/review/claim`
  },
  "POST /api/kyc/sessions/:id/review/release": {
    path: ({ session }) => `/api/kyc/sessions/${session}/review/release`
  },
  "POST /api/kyc/sessions/:id/review/link": {
    path: ({ session }) => `/api/kyc/sessions/${session}/review/link`
  },
  "GET /api/kyc/sessions/:id/notes": { path: ({ session }) => `/api/kyc/sessions/${session}/notes` },
  "POST /api/kyc/sessions/:id/notes": {
    path: ({ session }) => `/api/kyc/sessions/${session}/notes`,
    json: () => ({ text: "Called the customer" })
  },
  "POST /api/kyc/sessions/:id/redact": { path: ({ session }) => `/api/kyc/sessions/${session}/redact` },
  "GET /api/kyc/sessions/:id/files": { path: ({ session }) => `/api/kyc/sessions/${session}/files` },
  "GET /api/kyc/sessions/:id/files/:fileId": {
    path: ({ file, session }) => `/api/kyc/sessions/${session}/files/${file}`
  },
  "GET /api/kyc/public/sessions/:sessionId": {
    path: ({ session }, ours) => `/api/kyc/public/sessions/${session}?token=${ours.session.token}`
  },
  "POST /api/kyc/public/sessions/:sessionId/receipt": { ...publicSession("/receipt"), ...withToken() },
  "POST /api/kyc/public/sessions/:sessionId/progress": {
    ...publicSession("/progress"),
    ...withToken({ progress: { s_x: {} } })
  },
  "POST /api/kyc/public/sessions/:sessionId/files": {
    ...publicSession("/files"),
    options: ({ session }) => ({
      headers: { authorization: `Bearer ${session.token}` },
      body: Buffer.from(samples.jpeg)
    })
  },
  "POST /api/kyc/public/sessions/:sessionId/dedup-check": {
    ...publicSession("/dedup-check"),
    ...withToken({ keyHash: "d5b809910c48e00f61225dbcee51547ae68abb913eed4df9dadc4e2827123978" })
  },
  "POST /api/kyc/public/sessions/:sessionId/captcha/verify": {
    ...publicSession("/captcha/verify"),
    ...withToken({ captchaToken: "x", siteKey: "y" })
  },
  "POST /api/kyc/public/sessions/:sessionId/files/:fileId/reading": {
    path: ({ file, session }) => `/api/kyc/public/sessions/${session}/files/${file}/reading`,
    ...withToken()
  },
  "GET /api/kyc/public/sessions/:sessionId/files/:fileId/reading": {
    path: ({ file, session }, ours) =>
      `/api/kyc/public/sessions/${session}/files/${file}/reading?token=${ours.session.token}`
  },
  "POST /api/kyc/public/sessions/:sessionId/handoffs": { ...publicSession("/handoffs"), ...withToken() },
  "GET /api/kyc/public/sessions/:sessionId/handoffs/:handoffId": {
    path: ({ handoff, session }, ours) =>
      `/api/kyc/public/sessions/${session}/handoffs/${handoff}?token=${ours.session.token}`
  },
  "POST /api/kyc/public/sessions/:sessionId/handoffs/:handoffId/cancel": {
    path: ({ handoff, session }) => `/api/kyc/public/sessions/${session}/handoffs/${handoff}/cancel`,
    ...withToken()
  },
  "POST /api/kyc/public/sessions/:sessionId/handoff-links/inspect": {
    ...publicSession("/handoff-links/inspect"),
    ...withSecret()
  },
  "POST /api/kyc/public/sessions/:sessionId/handoff-links/claim": {
    ...publicSession("/handoff-links/claim"),
    ...withSecret({ receipt: newReceipt() })
  },
  "POST /api/kyc/public/sessions/:sessionId/handoff-links/confirm": {
    ...publicSession("/handoff-links/confirm"),
    ...withSecret({ receipt: newReceipt(), code: "12" })
  },
  "POST /api/kyc/public/sessions/:sessionId/complete": {
    ...publicSession("/complete"),
    ...withToken({ status: "cancelled" })
  },
  "GET /api/api-marketplace/apis/:apiId": {
    path: ({ draft }) => `${marketplace}/apis/${draft}`,
    alsoRefused: "a draft is in nobody's catalog"
  },
  "GET /api/api-marketplace/apis/:apiId/openapi.json": {
    path: ({ draft }) => `${marketplace}/apis/${draft}/openapi.json`,
    alsoRefused: "a draft is in nobody's catalog"
  },
  "PATCH /api/api-marketplace/apis/:apiId": {
    path: ({ draft }) => `${marketplace}/apis/${draft}`,
    json: () => ({ name: "renamed" })
  },
  "POST /api/api-marketplace/apis/:apiId/versions": {
    path: ({ draft }) => `${marketplace}/apis/${draft}/versions`,
    json: () => ({ version: "2", upstreamUrl })
  },
  "POST /api/api-marketplace/apis/:apiId/plans": {
    path: ({ draft }) => `${marketplace}/apis/${draft}/plans`,
    json: () => ({ name: "paid" })
  },
  "POST /api/api-marketplace/apis/:apiId/subscribe": {
    path: ({ draft }) => `${marketplace}/apis/${draft}/subscribe`,
    json: ({ draftPlan }) => ({ planId: draftPlan, name: "mine" }),
    alsoRefused: "nobody subscribes to a draft",
    options: () => ({ headers: { "idempotency-key": crypto.randomUUID() } })
  },
  "POST /api/api-marketplace/apis/:apiId/publish": {
    path: ({ draft }) => `${marketplace}/apis/${draft}/publish`
  },
  "POST /api/api-marketplace/apis/:apiId/unpublish": {
    path: ({ draft }) => `${marketplace}/apis/${draft}/unpublish`
  },
  "GET /api/api-marketplace/apis/:id/usage": { path: ({ draft }) => `${marketplace}/apis/${draft}/usage` },
  "GET /api/api-marketplace/subscriptions/:id": {
    path: ({ subscription }) => `${marketplace}/subscriptions/${subscription}`
  },
  "GET /api/api-marketplace/subscriptions/:id/usage": {
    path: ({ subscription }) => `${marketplace}/subscriptions/${subscription}/usage`
  },
  "GET /api/api-marketplace/subscriptions/:id/keys": {
    path: ({ subscription }) => `${marketplace}/subscriptions/${subscription}/keys`
  },
  "POST /api/api-marketplace/subscriptions/:id/keys": {
    path: ({ subscription }) => `${marketplace}/subscriptions/${subscription}/keys`,
    json: () => ({ name: "another" })
  },
  "POST /api/api-marketplace/keys/:id/rotate": {
    path: ({ marketplaceKey }) => `${marketplace}/keys/${marketplaceKey}/rotate`,
    json: () => ({})
  },
  "POST /api/api-marketplace/keys/:id/revoke": {
    path: ({ marketplaceKey }) => `${marketplace}/keys/${marketplaceKey}/revoke`
  },
  "POST /api/api-marketplace/subscriptions/:id/cancel": {
    path: ({ subscription }) => `${marketplace}/subscriptions/${subscription}/cancel`
  }
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
          return send(server, name.split(" ", 1)[0] ?? "", row.path(ids, by), {
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
