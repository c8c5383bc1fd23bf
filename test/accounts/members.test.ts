import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Role } from "../../src/accounts/model.ts"
import { connect } from "../../src/db/connection.ts"
import { newToken } from "../../src/secrets/token.ts"
import { auditEvents, eventsOf } from "../support/audit/trail.ts"
import { type Answer, field, join, type Member, send, signUp, text } from "../support/client.ts"
import { pathOf, routes } from "../support/contract.ts"
import { eventually } from "../support/eventually.ts"
import { execute } from "../support/postgres.ts"
import { type RunningServer, startServer, TestServer } from "../support/server.ts"
import { anId, anInstant } from "../support/shapes.ts"
import { stoppedClock } from "../support/stopped-clock.ts"
import { suite } from "../support/suite.ts"

const summary = ({ body, status }: Answer) => [status, body]

const ok = [200, { ok: true }]
const forbidden = [403, { error: "Your role does not allow this" }]
const unauthorized = [401, { error: "Unauthorized" }]
const memberNotFound = [404, { error: "Member not found" }]
const invitationNotFound = [404, { error: "Invitation not found" }]
const ownerNeeded = [409, { error: "The company needs an owner" }]
const emailTaken = [409, { error: "Email is already registered" }]

/** The requests of a signed-in user. */
const as = (server: RunningServer, { cookie }: Pick<Member, "cookie">) => {
  const headers = { cookie }
  return {
    me: () => send(server, "GET", "/api/auth/me", { headers }),
    list: () => send(server, "GET", "/api/members", { headers }),
    changeRole: (id: string, role: unknown) =>
      send(server, "PATCH", `/api/members/${id}`, { headers, json: { role } }),
    remove: (id: string) => send(server, "POST", `/api/members/${id}/remove`, { headers }),
    invitations: () => send(server, "GET", "/api/invitations", { headers }),
    invite: (json: unknown) => send(server, "POST", "/api/invitations", { headers, json }),
    withdraw: (id: string) => send(server, "POST", `/api/invitations/${id}/withdraw`, { headers })
  }
}

const open = (server: RunningServer, token: unknown) =>
  send(server, "POST", "/api/auth/invitation", { json: { token } })

const accept = (server: RunningServer, json: unknown) =>
  send(server, "POST", "/api/auth/invitation/accept", { json })

const tokenOf = (invited: Answer) => text(invited.body, "url").split("#token=")[1] ?? ""

const password = "correct horse battery staple"

/** The link neither opens an invitation nor accepts one. */
const isNone = (server: RunningServer, token: string) =>
  Effect.gen(function* () {
    expect(summary(yield* open(server, token))).toStrictEqual(invitationNotFound)
    expect(summary(yield* accept(server, { token, password }))).toStrictEqual(invitationNotFound)
  })

const company = Effect.gen(function* () {
  const server = yield* TestServer
  const owner = yield* signUp(server)
  return { server, owner, byOwner: as(server, owner) }
})

/** Demotes an owner in a transaction that stays open, with the lock that changes of members take, until the test commits it. */
const demoting = (server: RunningServer, { companyId }: Member, { userId }: Pick<Member, "userId">) =>
  Effect.gen(function* () {
    const client = yield* connect(server.databaseUrl)
    const run = (statement: string, values: ReadonlyArray<string> = []) =>
      Effect.promise(() => client.query(statement, [...values]))
    yield* run("begin")
    yield* run("select from companies where id = $1 for update", [companyId])
    yield* run("update users set role = 'member' where id = $1", [userId])
    return { commit: run("commit") }
  })

const someone = () => `someone-${crypto.randomUUID()}@example.com`

suite(TestServer.layer)("members of a company", (it) => {
  describe("invitations", () => {
    it.effect("201 {invitation, url}; the link's token is in the fragment and opens the invitation", () =>
      Effect.gen(function* () {
        const { byOwner, owner, server } = yield* company
        const email = someone()
        const invited = yield* byOwner.invite({ email: ` ${email.toUpperCase()} `, role: "viewer" })
        const invitation = {
          id: anId,
          email,
          role: "viewer",
          created_at: anInstant,
          expires_at: anInstant,
          invited_by: { id: owner.userId, email: owner.email }
        }
        expect(summary(invited)).toStrictEqual([
          201,
          {
            invitation,
            url: expect.stringMatching(
              /^http:\/\/doorlock\.test\/dashboard\/invitation#token=dli_[0-9A-Za-z]{49}$/
            )
          }
        ])
        expect(summary(yield* byOwner.invitations())).toStrictEqual([200, { invitations: [invitation] }])
        expect(summary(yield* open(server, tokenOf(invited)))).toStrictEqual([
          200,
          { invitation: { email, role: "viewer", company_name: "Acme", expires_at: anInstant } }
        ])
      })
    )

    it.effect("accepting it creates the user and signs them in; the link is used up", () =>
      Effect.gen(function* () {
        const { byOwner, owner, server } = yield* company
        const email = someone()
        const token = tokenOf(yield* byOwner.invite({ email, role: "member" }))
        // The user gets the invited address, whatever the request says.
        const accepted = yield* accept(server, { token, password, email: someone() })
        const account = {
          user: { id: anId, email, role: "member" },
          company: { id: owner.companyId, name: "Acme" }
        }
        expect(summary(accepted)).toStrictEqual([201, { ok: true, ...account }])
        const [cookie = ""] = (accepted.headers.get("set-cookie") ?? "").split(";", 1)
        expect(summary(yield* as(server, { cookie }).me())).toStrictEqual([200, account])
        yield* isNone(server, token)
        expect(summary(yield* byOwner.invitations())).toStrictEqual([200, { invitations: [] }])
        const login = yield* send(server, "POST", "/api/auth/login", { json: { email, password } })
        expect(summary(login)).toStrictEqual([200, { ok: true, ...account }])
      })
    )

    it.effect("10 concurrent acceptances create one user", () =>
      Effect.gen(function* () {
        const { byOwner, server } = yield* company
        const email = someone()
        const token = tokenOf(yield* byOwner.invite({ email, role: "member" }))
        const answers = yield* Effect.all(
          Array.from({ length: 10 }, () => accept(server, { token, password })),
          { concurrency: "unbounded" }
        )
        expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
        for (const answer of answers.filter(({ status }) => status !== 201)) {
          expect(summary(answer)).toStrictEqual(invitationNotFound)
        }
      })
    )

    it.effect(
      "404 for a token that is unknown, malformed, of another family, withdrawn, replaced or expired",
      () =>
        Effect.gen(function* () {
          const { byOwner, server } = yield* company
          const withdrawn = yield* byOwner.invite({ email: someone(), role: "member" })
          expect(summary(yield* byOwner.withdraw(text(withdrawn.body, "invitation", "id")))).toStrictEqual(ok)
          const email = someone()
          const replaced = yield* byOwner.invite({ email, role: "owner" })
          const replacing = yield* byOwner.invite({ email, role: "viewer" })
          const expired = yield* byOwner.invite({ email: someone(), role: "member" })
          yield* execute(
            server.databaseUrl,
            "update invitations set expires_at = now() - interval '1 second' where id = $1",
            [text(expired.body, "invitation", "id")]
          )
          const tokens = [
            newToken("dli_"),
            "dli_x",
            newToken("dls_"),
            ...[withdrawn, replaced, expired].map(tokenOf)
          ]
          for (const token of tokens) yield* isNone(server, token)
          expect((yield* open(server, tokenOf(replacing))).status).toBe(200)
        })
    )

    it.effect("409 Email is already registered: when inviting, and when they signed up meanwhile", () =>
      Effect.gen(function* () {
        const { byOwner, owner, server } = yield* company
        expect(summary(yield* byOwner.invite({ email: owner.email, role: "member" }))).toStrictEqual(
          emailTaken
        )
        const email = someone()
        const token = tokenOf(yield* byOwner.invite({ email, role: "member" }))
        yield* send(server, "POST", "/api/auth/signup", { json: { companyName: "Own", email, password } })
        expect(summary(yield* accept(server, { token, password }))).toStrictEqual(emailTaken)
        // Opening the invitation does not use it up.
        expect((yield* open(server, token)).status).toBe(200)
      })
    )

    it.effect("a user with the same address in another company does not prevent joining", () =>
      Effect.gen(function* () {
        const { byOwner, owner, server } = yield* company
        const squatter = yield* signUp(server)
        const invited = yield* byOwner.invite({ email: squatter.email, role: "member" })
        expect(invited.status).toBe(201)
        const token = tokenOf(invited)
        expect(summary(yield* accept(server, { token, password }))).toStrictEqual(emailTaken)
        // An address that has an account is no bypass.
        for (const email of [squatter.email.toUpperCase(), owner.email]) {
          expect(summary(yield* accept(server, { token, password, email }))).toStrictEqual(emailTaken)
        }
        const email = someone()
        const joined = yield* accept(server, {
          token,
          password: "another battery staple",
          email: ` ${email.toUpperCase()}`
        })
        expect(summary(joined)).toStrictEqual([
          201,
          {
            ok: true,
            user: { id: anId, email, role: "member" },
            company: { id: owner.companyId, name: "Acme" }
          }
        ])
        expect((yield* open(server, token)).status).toBe(404)
        // The account with the invited address stays as it was: neither company becomes accessible to the other.
        expect(field((yield* as(server, squatter).me()).body, "company", "id")).toBe(squatter.companyId)
        const login = yield* send(server, "POST", "/api/auth/login", {
          json: { email: squatter.email, password: "another battery staple" }
        })
        expect(login.status).toBe(401)
      })
    )

    describe("are valid only if their creator may still invite when they are accepted", () => {
      /** Another owner, who has sent two invitations. */
      const inviter = Effect.gen(function* () {
        const { byOwner, owner, server } = yield* company
        const second = yield* join(server, owner, "owner")
        const made = [
          yield* as(server, second).invite({ email: someone(), role: "owner" }),
          yield* as(server, second).invite({ email: someone(), role: "viewer" })
        ]
        const others = yield* byOwner.invite({ email: someone(), role: "owner" })
        return { byOwner, made, others, owner, second, server }
      })

      const losses: ReadonlyArray<
        readonly [how: string, lose: (by: ReturnType<typeof as>, id: string) => Effect.Effect<Answer>]
      > = [
        ["removed", (by, id) => by.remove(id)],
        ["made a member", (by, id) => by.changeRole(id, "member")]
      ]
      for (const [how, lose] of losses) {
        it.effect(`who is ${how} has none: 404, withdrawn for good, and the trail says so`, () =>
          Effect.gen(function* () {
            const { byOwner, made, others, owner, second, server } = yield* inviter
            expect((yield* lose(byOwner, second.userId)).status).toBe(200)
            for (const token of made.map(tokenOf)) yield* isNone(server, token)
            const events = eventsOf(yield* auditEvents(server, owner))
            expect(events[made.length]).toMatchObject({ resource: { id: second.userId } })
            for (const { body } of made) {
              expect(events.slice(0, made.length)).toContainEqual(
                expect.objectContaining({
                  action: "invitation.withdrawn",
                  resource: {
                    kind: "invitation",
                    id: text(body, "invitation", "id"),
                    name: text(body, "invitation", "email")
                  },
                  details: {
                    role: text(body, "invitation", "role"),
                    invited_by: { id: second.userId, email: second.email }
                  }
                })
              )
            }
            // Other users' invitations are unchanged.
            const { body } = yield* byOwner.invitations()
            expect(body).toStrictEqual({ invitations: [field(others.body, "invitation")] })
            expect((yield* open(server, tokenOf(others))).status).toBe(200)
            // Becoming an owner again does not restore the invitations.
            if (how !== "removed") yield* byOwner.changeRole(second.userId, "owner")
            for (const token of made.map(tokenOf)) yield* isNone(server, token)
          })
        )
      }

      it.effect("an invitation of a demoted user is invalid even if nobody has withdrawn it", () =>
        Effect.gen(function* () {
          const { byOwner, made, others, second, server } = yield* inviter
          yield* execute(server.databaseUrl, "update users set role = 'member' where id = $1", [
            second.userId
          ])
          for (const token of made.map(tokenOf)) yield* isNone(server, token)
          const { body } = yield* byOwner.invitations()
          expect(body).toStrictEqual({ invitations: [field(others.body, "invitation")] })
          // An invitation of a removed user names nobody.
          yield* execute(
            server.databaseUrl,
            "update invitations set invited_by = null where invited_by = $1",
            [second.userId]
          )
          for (const token of made.map(tokenOf)) yield* isNone(server, token)
        })
      )

      it.scoped("an acceptance waits for a concurrent removal, and is then refused", () =>
        Effect.gen(function* () {
          const { made, owner, second, server } = yield* inviter
          const [invited] = made
          if (invited === undefined) throw new Error("Nobody is invited")
          const demotion = yield* demoting(server, owner, second)
          const accepting = yield* Effect.fork(accept(server, { token: tokenOf(invited), password }))
          yield* eventually(
            "the acceptance waits",
            Effect.map(
              execute(
                server.databaseUrl,
                `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
                and query like '%from invitations%'`
              ),
              (waiting) => waiting.length > 0
            )
          )
          yield* demotion.commit
          expect(summary(yield* Fiber.join(accepting))).toStrictEqual(invitationNotFound)
        })
      )
    })
  })

  describe("members", () => {
    it.effect("are listed in the order in which they joined", () =>
      Effect.gen(function* () {
        const { byOwner, owner, server } = yield* company
        const viewer = yield* join(server, owner, "viewer")
        const entry = ({ email, userId }: Member, role: string) => ({
          id: userId,
          email,
          role,
          created_at: anInstant,
          last_seen_at: anInstant
        })
        const listed = [200, { members: [entry(owner, "owner"), entry(viewer, "viewer")] }]
        expect(summary(yield* byOwner.list())).toStrictEqual(listed)
        expect(summary(yield* as(server, viewer).list())).toStrictEqual(listed)
      })
    )

    it.effect("a role change applies from the member's next request", () =>
      Effect.gen(function* () {
        const { byOwner, owner, server } = yield* company
        const member = yield* join(server, owner, "member")
        const byMember = as(server, member)
        expect(summary(yield* byMember.invite({ email: someone(), role: "viewer" }))).toStrictEqual(forbidden)
        const promoted = yield* byOwner.changeRole(member.userId, "owner")
        expect(promoted.status).toBe(200)
        expect(text(promoted.body, "member", "role")).toBe("owner")
        expect((yield* byMember.invite({ email: someone(), role: "viewer" })).status).toBe(201)
      })
    )

    it.effect("a removed member is signed out at once, and can be invited again", () =>
      Effect.gen(function* () {
        const { byOwner, owner, server } = yield* company
        const member = yield* join(server, owner, "member")
        expect(summary(yield* byOwner.remove(member.userId))).toStrictEqual(ok)
        expect(summary(yield* as(server, member).me())).toStrictEqual(unauthorized)
        expect(summary(yield* byOwner.remove(member.userId))).toStrictEqual(memberNotFound)
        expect((yield* byOwner.invite({ email: member.email, role: "member" })).status).toBe(201)
      })
    )

    it.effect("the last owner can be neither demoted nor removed: 409 The company needs an owner", () =>
      Effect.gen(function* () {
        const { byOwner, owner, server } = yield* company
        yield* join(server, owner, "member")
        expect(summary(yield* byOwner.changeRole(owner.userId, "member"))).toStrictEqual(ownerNeeded)
        expect(summary(yield* byOwner.remove(owner.userId))).toStrictEqual(ownerNeeded)
        expect((yield* byOwner.changeRole(owner.userId, "owner")).status).toBe(200)
      })
    )

    it.effect("two owners who remove each other concurrently: one stays", () =>
      Effect.gen(function* () {
        const { byOwner, owner, server } = yield* company
        for (let round = 0; round < 5; round++) {
          const second = yield* join(server, owner, "owner")
          const answers = yield* Effect.all(
            [
              byOwner.changeRole(second.userId, "viewer"),
              as(server, second).changeRole(owner.userId, "viewer")
            ],
            { concurrency: "unbounded" }
          )
          const owners = yield* execute(
            server.databaseUrl,
            "select id from users where company_id = $1 and role = 'owner'",
            [owner.companyId]
          )
          expect(owners.length).toBeGreaterThanOrEqual(1)
          expect(answers.filter(({ status }) => status === 200)).not.toHaveLength(0)
          yield* execute(server.databaseUrl, "update users set role = 'owner' where id = $1", [owner.userId])
        }
      })
    )

    it.scoped("an owner whose demotion commits while they act cannot undo it, or act on others: 403", () =>
      Effect.gen(function* () {
        const { byOwner, owner, server } = yield* company
        const [second, third] = [yield* join(server, owner, "owner"), yield* join(server, owner, "member")]
        const bySecond = as(server, second)
        const demotion = yield* demoting(server, owner, second)
        const acting = yield* Effect.fork(
          Effect.all(
            [
              bySecond.changeRole(second.userId, "owner"),
              bySecond.changeRole(third.userId, "owner"),
              bySecond.remove(owner.userId)
            ],
            { concurrency: "unbounded" }
          )
        )
        yield* eventually(
          "all three wait",
          Effect.map(
            execute(
              server.databaseUrl,
              `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
              and query like '%from companies%'`
            ),
            (waiting) => waiting.length === 3
          )
        )
        yield* demotion.commit
        for (const answer of yield* Fiber.join(acting)) expect(summary(answer)).toStrictEqual(forbidden)
        const { body } = yield* byOwner.list()
        expect(field(body, "members")).toMatchObject([
          { id: owner.userId, role: "owner" },
          { id: second.userId, role: "member" },
          { id: third.userId, role: "member" }
        ])
      })
    )
  })

  describe("roles, on every route that admits dashboard users", () => {
    const admitting = routes.filter(({ roles }) => roles.length > 0)
    const own = new Set(["/api/auth/logout", "/api/auth/password"])
    const isOwn = (pattern: string) => own.has(pattern) || pattern.startsWith("/api/auth/sessions")
    const patternsFor = (role: Role) =>
      new Set(admitting.filter(({ roles }) => roles.includes(role)).map(({ pattern }) => pattern))

    it.effect("a viewer may change nothing of the company", () =>
      Effect.sync(() => {
        for (const { method, name, pattern, roles } of admitting) {
          if (method !== "GET" && !isOwn(pattern)) expect(roles, name).not.toContain("viewer")
        }
      })
    )

    it.effect("only an owner manages users, reads the audit trail and destroys the data of a session", () =>
      Effect.sync(() => {
        const ofOwners = admitting.filter(({ roles }) => roles.join() === "owner").map(({ name }) => name)
        expect(ofOwners).toEqual([
          "PATCH /api/members/:id",
          "POST /api/members/:id/remove",
          "GET /api/invitations",
          "POST /api/invitations",
          "POST /api/invitations/:id/withdraw",
          "POST /api/kyc/sessions/:id/redact",
          "GET /api/audit-events"
        ])
      })
    )

    it.effect("a reviewer sees sessions and the own account, and nothing else", () =>
      Effect.sync(() => {
        const others = [...patternsFor("reviewer")].filter(
          (pattern) => !/^\/api\/(?:auth\/|kyc\/sessions|kyc\/reviews)/.test(pattern)
        )
        expect(others).toEqual([])
      })
    )

    for (const role of Role.literals) {
      it.effect(`${role}: 403 Your role does not allow this, whatever the body, or an answer`, () =>
        Effect.gen(function* () {
          const { owner, server } = yield* company
          const { cookie } = role === "owner" ? owner : yield* join(server, owner, role)
          for (const route of admitting) {
            const asked = send(server, route.method, pathOf(route), {
              headers: { cookie },
              ...(route.takesBody ? { body: "{" } : {})
            })
            if (!route.roles.includes(role)) {
              expect([route.name, ...summary(yield* asked)]).toStrictEqual([route.name, ...forbidden])
            } else if (route.method === "GET") {
              expect([200, 404], route.name).toContain((yield* asked).status)
            }
          }
        })
      )
    }
  })
})

it.scopedLive("the holder of a link can test a hundred addresses for accounts, then 429", () =>
  Effect.gen(function* () {
    const { by, pass } = stoppedClock()
    const server = yield* by(startServer({ TRUSTED_PROXIES: "127.0.0.1" }))
    const owner = yield* signUp(server)
    const elsewhere = yield* signUp(server)
    const token = tokenOf(yield* as(server, owner).invite({ email: elsewhere.email, role: "member" }))
    const headers = { "x-forwarded-for": "203.0.113.1" }
    const asking = send(server, "POST", "/api/auth/invitation/accept", {
      headers,
      json: { token, password: owner.password, email: owner.email }
    })
    for (let asked = 0; asked < 100; asked++) expect(summary(yield* asking)).toStrictEqual(emailTaken)
    expect(summary(yield* asking)).toStrictEqual([429, { error: "Too many requests" }])
    yield* pass(1_000)
    expect(summary(yield* asking)).toStrictEqual(emailTaken)
    // The limit does not stop an address that is free.
    const joined = yield* send(server, "POST", "/api/auth/invitation/accept", {
      headers,
      json: { token, password: owner.password, email: `free-${crypto.randomUUID()}@example.com` }
    })
    expect(joined.status).toBe(201)
  })
)
