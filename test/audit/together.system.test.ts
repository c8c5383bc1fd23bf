/** Concurrent acts of one company, and their data that must never be in the trail. */
import { expect, it } from "@effect/vitest"
import { Context, Effect, Stream } from "effect"
import { Audit } from "../../src/audit/service.ts"
import { askAs, auditEvents, eventsOf } from "../support/audit/trail.ts"
import { createInstance, createKey, field, join, send, signUp, text } from "../support/client.ts"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { createdKey, marketplaceOn, subscribed } from "../support/marketplace/subscriptions.ts"
import { execute } from "../support/postgres.ts"
import { type RunningServer, startServer, startServerOn } from "../support/server.ts"

const positions = ({ databaseUrl }: RunningServer, companyId: string) =>
  Effect.map(
    execute(
      databaseUrl,
      "select position::int as position from audit_events where company_id = $1 order by position",
      [companyId]
    ),
    (rows) => rows.map(({ position }) => Number(position))
  )

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

it.scopedLive(
  "concurrent actions of every kind in two processes: one chain without gaps, and no deadlock",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const server = yield* startServerOn(url, { DATABASE_POOL: "10" })
      const other = yield* startServerOn(url, { DATABASE_POOL: "10" })
      const owner = yield* signUp(server)
      const second = yield* join(server, owner, "owner")
      const viewers = yield* Effect.replicateEffect(join(server, owner, "viewer"), 5)
      const keys = yield* Effect.replicateEffect(createKey(server, owner), 5)
      const { id: instanceId } = yield* createInstance(server, owner)
      const shop = yield* marketplaceOn(server)
      const byOwner = askAs(server, owner)
      const bySecond = askAs(other, second)
      const signIn = send(server, "POST", "/api/auth/login", {
        json: { email: owner.email, password: owner.password }
      })
      const before = (yield* positions(server, owner.companyId)).length

      const rounds = upTo(5).flatMap((round) => {
        const viewer = viewers[round - 1]?.userId ?? ""
        const key = keys[round - 1]?.id ?? ""
        return [
          byOwner("POST", "/api/api-keys", { name: `key ${round}` }),
          bySecond("POST", `/api/api-keys/${key}/revoke`),
          bySecond("POST", "/api/kyc/instances", { name: `flow ${round}` }),
          byOwner("PATCH", `/api/kyc/instances/${instanceId}`, { name: `name ${round}` }),
          byOwner("PATCH", `/api/members/${viewer}`, { role: "member" }),
          bySecond("POST", `/api/members/${viewer}/remove`),
          byOwner("PATCH", `/api/members/${second.userId}`, { role: "owner" }),
          bySecond("POST", "/api/invitations", { email: `${round}@example.com`, role: "viewer" }),
          signIn,
          byOwner(
            "POST",
            `/api/api-marketplace/apis/${shop.api.id}/subscribe`,
            { planId: shop.api.planId, name: "first" },
            { "idempotency-key": crypto.randomUUID() }
          )
        ]
      })
      const answers = yield* Effect.all(rounds, { concurrency: "unbounded" })
      // A member removed first has no role to change, and only one of the five subscriptions exists.
      const statuses = answers.map(({ status }) => status)
      for (const status of statuses) expect([200, 201, 404, 409]).toContain(status)

      const after = yield* positions(server, owner.companyId)
      expect(after).toStrictEqual(upTo(after.length))
      // A role change that changes nothing has no event: one in each of the five rounds.
      const changed = statuses.filter((status) => status < 300).length - 5
      expect(after.length).toBe(before + changed)
      const audit = Context.get(server.services, Audit)
      const [report] = yield* Stream.runCollect(audit.verify(owner.companyId))
      expect(report).toMatchObject({ events: after.length, fault: null })
    })
)

const pieces = (secret: string, length: number) =>
  Array.from({ length: secret.length - length + 1 }, (_, at) => secret.slice(at, at + length))

it.scopedLive("it contains no password, no token and no part of one", () =>
  Effect.gen(function* () {
    const server = yield* startServer()
    const { api, createKey: newKey, member, rotate, subscribe } = yield* marketplaceOn(server)
    const ask = askAs(server, member)
    const newPassword = "another battery staple entirely"
    const platform = yield* createKey(server, member)
    const invited = yield* ask("POST", "/api/invitations", { email: "a@example.com", role: "member" })
    const invitation = text(invited.body, "url").split("#token=")[1] ?? ""
    yield* send(server, "POST", "/api/auth/invitation/accept", {
      json: { token: invitation, password: newPassword }
    })
    const wrong = "a wrong battery staple, mistyped"
    yield* send(server, "POST", "/api/auth/login", { json: { email: member.email, password: wrong } })
    yield* ask("POST", "/api/auth/password", { currentPassword: member.password, newPassword })
    const idempotencyKey = crypto.randomUUID()
    const first = subscribed(yield* subscribe(api, {}, idempotencyKey))
    const another = createdKey(yield* newKey(first.id))
    const rotated = createdKey(yield* rotate(another.id))
    // The only one without a waiting client.
    yield* eventually(
      "the refused sign-in is written",
      Effect.map(
        auditEvents(server, member, { action: "user.sign_in_refused" }),
        (answer) => eventsOf(answer).length === 1
      )
    )

    const rows = yield* execute(server.databaseUrl, "select e::text as line from audit_events e")
    const lines = rows.map(({ line }) => String(line)).join("\n")
    // The search finds values that are there.
    expect(lines).toContain(platform.token.slice(0, 8))
    const session = decodeURIComponent(member.cookie.split("=")[1] ?? "")
    expect(session).toMatch(/^dls_/)
    const tokens = [platform.token, invitation, session, first.token, another.token, rotated.token]
    for (const token of tokens) {
      for (const piece of pieces(token.replace(/^(?:dk_live|[a-z]+)_/, ""), 12)) {
        for (const form of [piece, Buffer.from(piece).toString("hex")]) expect(lines).not.toContain(form)
      }
    }
    for (const secret of [member.password, newPassword, wrong, idempotencyKey]) {
      expect(lines).not.toContain(secret)
      expect(lines).not.toContain(Buffer.from(secret).toString("hex"))
    }
    const answered = yield* auditEvents(server, member, { limit: "100" })
    expect(field(answered.body, "next_cursor")).toBe(null)
    for (const token of tokens) expect(answered.text).not.toContain(token.slice(-12))
  })
)
