/** Writers that keep changing a company's keys and people. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { send, text } from "../client.ts"
import type { Company } from "../credentials.ts"
import type { Writer } from "./ledger.ts"
import { bodyOf, dashboard, event, fresh } from "./writing.ts"

export const keyWriter =
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
            // The key is valid: only the body's missing fields cause the 400.
            answer === undefined || isRevoked ? Effect.void : use(text(bodyOf(answer), "token"), 400)(server)
        })
        if (!isRevoked) continue
        const token = text(bodyOf(created), "token")
        // Puts the key into the cache, so that the revocation below must also remove it there.
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

/** Colleagues: invited, admitted, given another role and removed, or invited without accepting. */
export const memberWriter =
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

/**
 * Dashboard sessions: sign-ins and sign-outs, with pauses, because checking a password occupies a core for a
 * while.
 */
export const signInWriter =
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
      yield* Effect.sleep("300 millis")
    }).pipe(Effect.forever)
