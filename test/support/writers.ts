/** Clients that change everything there is to change, for ever: sessions, keys, files, instances, members, APIs and subscriptions. */
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { okUpstream } from "./callable-api.ts"
import { tokenWith } from "./captcha.ts"
import { send, text } from "./client.ts"
import type { Company } from "./credentials.ts"
import { download, jpegOf, sha256 } from "./files.ts"
import type { Doing, Writer } from "./ledger.ts"
import { becomePublisher, freshSlug } from "./publisher.ts"
import type { RawAnswer } from "./raw.ts"
import type { RunningServer } from "./server.ts"

/** A name that nothing else has. */
const fresh = (what: string) => `${what}-${crypto.randomUUID()}`

const bodyOf = ({ body }: RawAnswer): unknown => JSON.parse(body)

/** One event of that action, about what was named `$1` then. */
const event = (action: string) =>
  `(select count(*) = 1 from audit_events where action = '${action}' and resource_name = $1)`

const dashboard = ({ member }: Company) => [`Cookie: ${member.cookie}`]

/** Sessions: created, filled in, checked, handed over, completed. */
const sessionWriter =
  ({ instance, key }: Company): Writer =>
  (act) =>
    Effect.gen(function* () {
      const reference = fresh("session")
      const session = (sql: string) =>
        `select ${sql} from (select) as always left join kyc_sessions s on s.external_reference = $1`
      const created = yield* act({
        name: "POST /api/kyc/public/sessions",
        path: "/api/kyc/public/sessions",
        headers: [`X-Api-Key: ${key.token}`],
        body: { instanceId: instance.id, externalReference: reference },
        status: 201,
        parts: `${session("s.id is not null as made")}`,
        values: [reference],
        afterwards: (server, answer) =>
          answer === undefined
            ? Effect.void
            : Effect.map(
                send(
                  server,
                  "GET",
                  `/api/kyc/public/sessions/${text(bodyOf(answer), "session", "id")}?token=${text(bodyOf(answer), "sessionToken")}`
                ),
                ({ status }) => expect(status).toBe(200)
              )
      })
      const token = text(bodyOf(created), "sessionToken")
      const path = `/api/kyc/public/sessions/${text(bodyOf(created), "session", "id")}`
      const name = "POST /api/kyc/public/sessions/:sessionId"
      for (const step of ["one", "two", "three"]) {
        yield* act({
          name: `${name}/progress`,
          path: `${path}/progress`,
          body: { token, status: "running", progress: { [step]: reference } },
          status: 200,
          parts: session(
            `coalesce(s.progress ->> $2::text = $1, false) as merged${step === "one" ? ", s.started_at is not null as started" : ""}`
          ),
          values: [reference, step]
        })
      }
      yield* act({
        name: `${name}/dedup-check`,
        path: `${path}/dedup-check`,
        body: { token, keyHash: sha256(Buffer.from(reference)) },
        status: 200,
        parts: session(`
          exists (select from kyc_dedup_sightings where session_id = s.id) as seen,
          exists (select from kyc_dedup_records where first_session_id = s.id and seen_count = 1) as counted`),
        values: [reference]
      })
      const captchaToken = yield* Effect.promise(() => tokenWith({ siteKey: instance.publicKey }))
      yield* act({
        name: `${name}/captcha/verify`,
        path: `${path}/captcha/verify`,
        body: { token, captchaToken, siteKey: instance.publicKey },
        status: 200,
        parts: session(`
          s.captcha_verified_at is not null as recorded,
          exists (select from kyc_captcha_tokens where session_id = s.id) as used_up`),
        values: [reference]
      })
      const handoff = yield* act({
        name: `${name}/handoffs`,
        path: `${path}/handoffs`,
        body: { token },
        status: 201,
        parts: session("(select count(*) = 1 from kyc_handoffs where session_id = s.id) as made"),
        values: [reference]
      })
      yield* act({
        name: `${name}/handoffs/:handoffId/cancel`,
        path: `${path}/handoffs/${text(bodyOf(handoff), "handoff", "id")}/cancel`,
        body: { token },
        status: 200,
        parts: session(
          "exists (select from kyc_handoffs where session_id = s.id and status = 'cancelled' and sealed is null) as cancelled"
        ),
        values: [reference]
      })
      yield* act({
        name: `${name}/complete`,
        path: `${path}/complete`,
        body: { token, result: { reference } },
        status: 200,
        parts: session(
          "s.status = 'completed' as finished, s.completed_at is not null as at, coalesce(s.result ->> 'reference' = $1, false) as told"
        ),
        values: [reference]
      })
    }).pipe(Effect.forever)

/** Files, each of a session of its own. */
const fileWriter =
  ({ instance, key }: Company): Writer =>
  (act) =>
    Effect.gen(function* () {
      const reference = fresh("files")
      const created = yield* act({
        name: "POST /api/kyc/public/sessions",
        path: "/api/kyc/public/sessions",
        headers: [`X-Api-Key: ${key.token}`],
        body: { instanceId: instance.id, externalReference: reference },
        status: 201,
        parts: "select (select count(*) = 1 from kyc_sessions where external_reference = $1) as made",
        values: [reference]
      })
      const id = text(bodyOf(created), "session", "id")
      const content = jpegOf(100_000)
      yield* act({
        name: "POST /api/kyc/public/sessions/:sessionId/files",
        path: `/api/kyc/public/sessions/${id}/files`,
        headers: [`Authorization: Bearer ${text(bodyOf(created), "sessionToken")}`],
        body: content,
        status: 201,
        // Of an upload that was begun there is a note, which the sweep takes with it (`kyc/files-crash`).
        parts:
          "select (select count(*) = 1 from kyc_files where session_id = $1 and size = $2 and encode(sha256, 'hex') = $3) as kept",
        values: [id, content.length, sha256(content)],
        afterwards: (server, answer) =>
          answer === undefined
            ? Effect.void
            : Effect.map(
                download(server, `/api/kyc/sessions/${id}/files/${text(bodyOf(answer), "file", "id")}`, {
                  "x-api-key": key.token
                }),
                ({ bytes, status }) => expect([status, sha256(bytes)]).toEqual([200, sha256(content)])
              )
      })
    }).pipe(Effect.forever)

/** Platform keys, of which every other one is revoked. */
const keyWriter =
  (company: Company): Writer =>
  (act) =>
    Effect.gen(function* () {
      const use = (token: string, status: number) => (server: Parameters<typeof send>[0]) =>
        Effect.map(
          send(server, "POST", "/api/kyc/public/sessions", { headers: { "x-api-key": token }, json: {} }),
          (answer) => expect(answer.status).toBe(status)
        )
      for (const isRevoked of [false, true]) {
        const name = fresh("key")
        const created = yield* act({
          name: "POST /api/api-keys",
          path: "/api/api-keys",
          headers: dashboard(company),
          body: { name },
          status: 201,
          parts: `select (select count(*) = 1 from api_keys where name = $1) as made, ${event("api_key.created")} as told`,
          values: [name],
          afterwards: (server, answer) =>
            // Good: what the body lacks is all that is wrong.
            answer === undefined || isRevoked ? Effect.void : use(text(bodyOf(answer), "token"), 400)(server)
        })
        if (!isRevoked) continue
        const token = text(bodyOf(created), "token")
        // Remembered, so that forgetting it is tried too.
        yield* act({
          name: "POST /api/kyc/public/sessions",
          path: "/api/kyc/public/sessions",
          headers: [`X-Api-Key: ${token}`],
          body: { instanceId: company.instance.id, externalReference: name },
          status: 201,
          parts: "select (select count(*) = 1 from kyc_sessions where external_reference = $1) as made",
          values: [name]
        })
        yield* act({
          name: "POST /api/api-keys/:id/revoke",
          path: `/api/api-keys/${text(bodyOf(created), "apiKey", "id")}/revoke`,
          headers: dashboard(company),
          body: {},
          status: 200,
          parts: `
            select exists (select from api_keys where name = $1 and revoked_at is not null) as revoked,
              ${event("api_key.revoked")} as told`,
          values: [name],
          afterwards: (server, answer) => (answer === undefined ? Effect.void : use(token, 401)(server))
        })
      }
    }).pipe(Effect.forever)

/** Instances: made once, and changed for ever. */
const instanceWriter =
  (company: Company): Writer =>
  (act) =>
    Effect.gen(function* () {
      const instance = fresh("instance")
      /** Later ones are greater. */
      const nameOf = (edit: number) => `${String(edit).padStart(8, "0")} ${instance}`
      const first = nameOf(0)
      const created = yield* act({
        name: "POST /api/kyc/instances",
        path: "/api/kyc/instances",
        headers: dashboard(company),
        body: { name: first, config: { edit: first } },
        status: 201,
        parts: `
          select exists (select from kyc_instance_versions where config ->> 'edit' = $1) as stored,
            ${event("kyc_instance.created")} as told`,
        values: [first]
      })
      const id = text(bodyOf(created), "instance", "id")
      for (let edit = 1; ; edit++) {
        const name = nameOf(edit)
        yield* act({
          name: "PATCH /api/kyc/instances/:id",
          path: `/api/kyc/instances/${id}`,
          headers: dashboard(company),
          body: { name, config: { edit: name } },
          status: 200,
          parts: `
            select (select name >= $1 from kyc_instances where id = $2) as named,
              (select v.config ->> 'edit' = i.name from kyc_instances i join kyc_instance_versions v on v.id = i.version_id
                where i.id = $2) and exists (select from kyc_instance_versions where config ->> 'edit' = $1) as stored,
              ${event("kyc_instance.changed")} as told`,
          values: [name, id]
        })
      }
    })

/** Colleagues: invited, let in, given another role, sent away; or invited in vain. */
const memberWriter =
  (company: Company): Writer =>
  (act) =>
    Effect.gen(function* () {
      const headers = dashboard(company)
      for (const isAccepted of [true, false, false, false]) {
        const email = `${fresh("member")}@example.com`
        const invited = yield* act({
          name: "POST /api/invitations",
          path: "/api/invitations",
          headers,
          body: { email, role: "viewer" },
          status: 201,
          parts: `
            select exists (select from invitations where email = $1) or ${event("invitation.accepted")} or ${event("invitation.withdrawn")} as made,
              ${event("invitation.created")} as told`,
          values: [email]
        })
        if (!isAccepted) {
          yield* act({
            name: "POST /api/invitations/:id/withdraw",
            path: `/api/invitations/${text(bodyOf(invited), "invitation", "id")}/withdraw`,
            headers,
            body: {},
            status: 200,
            parts: `
              select not exists (select from invitations where email = $1) as gone, ${event("invitation.withdrawn")} as told`,
            values: [email]
          })
          continue
        }
        const accepted = yield* act({
          name: "POST /api/auth/invitation/accept",
          path: "/api/auth/invitation/accept",
          body: {
            token: text(bodyOf(invited), "url").split("#token=")[1],
            password: company.member.password
          },
          status: 201,
          parts: `
            select not exists (select from invitations where email = $1) as used_up,
              exists (select from users where email = $1) or ${event("member.removed")} as made,
              ${event("invitation.accepted")} as told`,
          values: [email]
        })
        const id = text(bodyOf(accepted), "user", "id")
        yield* act({
          name: "PATCH /api/members/:id",
          path: `/api/members/${id}`,
          headers,
          body: { role: "member" },
          status: 200,
          parts: `
            select exists (select from users where email = $1 and role = 'member') or ${event("member.removed")} as changed,
              ${event("member.role_changed")} as told`,
          values: [email]
        })
        yield* act({
          name: "POST /api/members/:id/remove",
          path: `/api/members/${id}/remove`,
          headers,
          body: {},
          status: 200,
          parts: `select not exists (select from users where email = $1) as gone, ${event("member.removed")} as told`,
          values: [email]
        })
      }
    }).pipe(Effect.forever)

/** Sessions of the dashboard: begun, and ended. */
const signInWriter =
  ({ member: { email, password } }: Company): Writer =>
  (act) =>
    Effect.gen(function* () {
      const agent = fresh("agent")
      const told = (action: string) =>
        `(select count(*) = 1 from audit_events where action = '${action}' and user_agent = $1)`
      const signedIn = yield* act({
        name: "POST /api/auth/login",
        path: "/api/auth/login",
        headers: [`User-Agent: ${agent}`],
        body: { email, password },
        status: 200,
        parts: `
          select exists (select from dashboard_sessions where user_agent = $1) or ${told("user.signed_out")} as begun,
            ${told("user.signed_in")} as told`,
        values: [agent]
      })
      const cookie = signedIn.headers.get("set-cookie")?.split(";", 1)[0] ?? ""
      yield* act({
        name: "POST /api/auth/logout",
        path: "/api/auth/logout",
        headers: [`User-Agent: ${agent}`, `Cookie: ${cookie}`],
        body: {},
        status: 200,
        parts: `
          select not exists (select from dashboard_sessions where user_agent = $1) as ended, ${told("user.signed_out")} as told`,
        values: [agent],
        afterwards: (server, answer) =>
          answer === undefined
            ? Effect.void
            : Effect.map(send(server, "GET", "/api/auth/me", { headers: { cookie } }), ({ status }) =>
                expect(status).toBe(401)
              )
      })
    }).pipe(Effect.forever)

const api = "/api/api-marketplace"

/** An API with a version and a plan, published; and its id, its plan's, and where it is called. */
const publishing = (act: Doing, company: Company, publisherSlug: string, upstreamUrl: string) =>
  Effect.gen(function* () {
    const headers = dashboard(company)
    const slug = freshSlug()
    const post = (name: string, path: string, body: object, status: 200 | 201, parts: string) =>
      act({ name: `POST ${api}${name}`, path: `${api}${path}`, headers, body, status, parts, values: [slug] })
    const made = yield* post(
      "/apis",
      "/apis",
      { slug, name: slug },
      201,
      `select exists (select from apis where slug = $1) as made, ${event("api.created")} as told`
    )
    const id = text(bodyOf(made), "api", "id")
    const has = (table: string) =>
      `select exists (select from ${table} t join apis a on a.id = t.api_id where a.slug = $1) as made`
    const told = (action: string) =>
      `exists (select from audit_events e join apis a on a.slug = $1 where e.action = '${action}' and e.details ->> 'api_id' = a.id::text) as told`
    yield* post(
      "/apis/:apiId/versions",
      `/apis/${id}/versions`,
      { version: "1", upstreamUrl },
      201,
      `${has("api_versions")}, ${told("api_version.created")}`
    )
    const plan = yield* post(
      "/apis/:apiId/plans",
      `/apis/${id}/plans`,
      { name: "Starter" },
      201,
      `${has("api_plans")}, ${told("api_plan.created")}`
    )
    yield* post(
      "/apis/:apiId/publish",
      `/apis/${id}/publish`,
      {},
      200,
      `select exists (select from apis where slug = $1 and published_at is not null) as published, ${event("api.published")} as told`
    )
    const description = fresh("description")
    yield* act({
      name: `PATCH ${api}/apis/:apiId`,
      path: `${api}/apis/${id}`,
      headers,
      body: { description },
      status: 200,
      parts: `
        select exists (select from apis where slug = $1 and description = $2) as changed, ${event("api.changed")} as told`,
      values: [slug, description]
    })
    return {
      id,
      slug,
      planId: text(bodyOf(plan), "plan", "id"),
      called: `/gateway/${publisherSlug}/${slug}/v/1/health`
    }
  })

/** APIs, each subscribed to once, with keys that are rotated and revoked; every other subscription is cancelled, and its API withdrawn. */
const marketplaceWriter =
  (company: Company, publisherSlug: string, upstreamUrl: string): Writer =>
  (act) =>
    Effect.gen(function* () {
      const headers = dashboard(company)
      for (const isCancelled of [true, false]) {
        const published = yield* publishing(act, company, publisherSlug, upstreamUrl)
        const name = fresh("subscription")
        const retried = ["Idempotency-Key", crypto.randomUUID()] as const
        const call = (token: string, status: number) => (server: Parameters<typeof send>[0]) =>
          Effect.map(send(server, "GET", published.called, { headers: { "x-api-key": token } }), (answer) =>
            expect([answer.status, answer.text]).toEqual([status, expect.any(String)])
          )
        const subscribing = {
          path: `${api}/apis/${published.id}/subscribe`,
          body: { planId: published.planId, name }
        }
        const made = `exists (select from marketplace_keys k join subscriptions s on s.id = k.subscription_id where k.name = $1 and s.api_id = $2::uuid)`
        const subscribed = yield* act({
          name: `POST ${api}/apis/:apiId/subscribe`,
          ...subscribing,
          headers: [...headers, retried.join(": ")],
          status: 201,
          parts: `
            select ${made} as made,
              exists (select from idempotent_answers where answer -> 'apiKey' ->> 'name' = $1) as kept,
              exists (select from audit_events where action = 'subscription.created' and details ->> 'api_id' = $2::uuid::text) as told`,
          values: [name, published.id],
          // Asked again, answered or not, it is answered as it was; a subscription that was not made then is made now.
          afterwards: (server, answer) =>
            Effect.map(
              send(server, "POST", subscribing.path, {
                headers: { cookie: company.member.cookie, [retried[0]]: retried[1] },
                json: subscribing.body
              }),
              ({ body, headers, status }) => {
                expect([status, body]).toEqual([
                  201,
                  answer === undefined ? expect.anything() : bodyOf(answer)
                ])
                if (answer !== undefined) expect(headers.get("idempotent-replayed")).toBe("true")
              }
            )
        })
        const subscription = text(bodyOf(subscribed), "subscription", "id")
        const first = {
          id: text(bodyOf(subscribed), "apiKey", "id"),
          token: text(bodyOf(subscribed), "token")
        }
        const second = fresh("key")
        const created = yield* act({
          name: `POST ${api}/subscriptions/:id/keys`,
          path: `${api}/subscriptions/${subscription}/keys`,
          headers,
          body: { name: second },
          status: 201,
          parts: `select (select count(*) = 1 from marketplace_keys where name = $1) as made, ${event("marketplace_key.created")} as told`,
          values: [second]
        })
        yield* act({
          name: `POST ${api}/keys/:id/rotate`,
          path: `${api}/keys/${first.id}/rotate`,
          headers,
          body: { graceSeconds: 0 },
          status: 201,
          parts: `
            select (select rotated_to is not null from marketplace_keys where id = $2) as replaced,
              (select count(*) = 2 from marketplace_keys where name = $1) as made, ${event("marketplace_key.rotated")} as told`,
          values: [name, first.id],
          afterwards: (server, answer) =>
            answer === undefined
              ? Effect.void
              : Effect.zipRight(
                  call(first.token, 401)(server),
                  isCancelled ? Effect.void : call(text(bodyOf(answer), "token"), 200)(server)
                )
        })
        const secondToken = text(bodyOf(created), "token")
        yield* act({
          name: `POST ${api}/keys/:id/revoke`,
          path: `${api}/keys/${text(bodyOf(created), "apiKey", "id")}/revoke`,
          headers,
          body: {},
          status: 200,
          parts: `
            select exists (select from marketplace_keys where name = $1 and revoked_at is not null) as revoked,
              ${event("marketplace_key.revoked")} as told`,
          values: [second],
          afterwards: (server, answer) =>
            answer === undefined ? Effect.void : call(secondToken, 401)(server)
        })
        if (!isCancelled) continue
        yield* act({
          name: `POST ${api}/subscriptions/:id/cancel`,
          path: `${api}/subscriptions/${subscription}/cancel`,
          headers,
          body: {},
          status: 200,
          parts: `
            select exists (select from subscriptions where id = $1 and status = 'cancelled' and cancelled_at is not null) as cancelled,
              exists (select from audit_events where action = 'subscription.cancelled' and resource_id = $1) as told`,
          values: [subscription]
        })
        yield* act({
          name: `POST ${api}/apis/:apiId/unpublish`,
          path: `${api}/apis/${published.id}/unpublish`,
          headers,
          body: {},
          status: 200,
          parts: `
            select exists (select from apis where slug = $1 and status = 'draft') as withdrawn, ${event("api.unpublished")} as told`,
          values: [published.slug]
        })
      }
    }).pipe(Effect.forever)

/** All of them, for one company, which becomes a publisher. */
export const allWriters = (server: RunningServer, company: Company) =>
  Effect.gen(function* () {
    const upstream = yield* okUpstream
    const { slug } = yield* becomePublisher(server, company.member)
    return [
      sessionWriter(company),
      sessionWriter(company),
      sessionWriter(company),
      keyWriter(company),
      fileWriter(company),
      instanceWriter(company),
      memberWriter(company),
      signInWriter(company),
      marketplaceWriter(company, slug, upstream)
    ]
  })
