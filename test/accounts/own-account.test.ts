import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { connect } from "../../src/db/connection.ts"
import { type Answer, field, join, type Member, send, signUp } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { execute } from "../support/postgres.ts"
import { type RunningServer, startServer, TestServer } from "../support/server.ts"
import { anId, anInstant } from "../support/shapes.ts"
import { stoppedClock } from "../support/stopped-clock.ts"
import { suite } from "../support/suite.ts"

const summary = ({ body, status }: Answer) => [status, body]

const ok = [200, { ok: true }]
const unauthorized = [401, { error: "Unauthorized" }]
const wrong = [403, { error: "Current password is incorrect" }]
const better = "a better battery staple"

const me = (server: RunningServer, cookie: string) =>
  send(server, "GET", "/api/auth/me", { headers: { cookie } })

const signIn = (server: RunningServer, { email }: Member, password: string, agent = "test agent") =>
  Effect.map(
    send(server, "POST", "/api/auth/login", { headers: { "user-agent": agent }, json: { email, password } }),
    (answer) => ({ ...answer, cookie: (answer.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "" })
  )

const changePassword = (server: RunningServer, cookie: string, json: unknown) =>
  send(server, "POST", "/api/auth/password", { headers: { cookie }, json })

suite(TestServer.layer)("the signed-in user", (it) => {
  const signedUp = Effect.flatMap(TestServer, (server) =>
    Effect.map(signUp(server), (member) => ({ server, member }))
  )

  describe("POST /api/auth/password", () => {
    it.effect(
      "200 {ok:true}: the new password works, the old one does not, and every other session has ended",
      () =>
        Effect.gen(function* () {
          const { member, server } = yield* signedUp
          const other = yield* signIn(server, member, member.password)
          const change = { currentPassword: member.password, newPassword: better }
          expect(summary(yield* changePassword(server, member.cookie, change))).toStrictEqual(ok)
          expect((yield* me(server, member.cookie)).status).toBe(200)
          expect(summary(yield* me(server, other.cookie))).toStrictEqual(unauthorized)
          expect((yield* signIn(server, member, member.password)).status).toBe(401)
          expect((yield* signIn(server, member, better)).status).toBe(200)
        })
    )

    it.effect("403 Current password is incorrect, and nothing changes", () =>
      Effect.gen(function* () {
        const { member, server } = yield* signedUp
        const change = { currentPassword: better, newPassword: better }
        expect(summary(yield* changePassword(server, member.cookie, change))).toStrictEqual(wrong)
        expect((yield* signIn(server, member, member.password)).status).toBe(200)
      })
    )

    it.effect("of two concurrent changes one wins", () =>
      Effect.gen(function* () {
        const { member, server } = yield* signedUp
        const changes = [better, `${better} 2`].map((newPassword) =>
          changePassword(server, member.cookie, { currentPassword: member.password, newPassword })
        )
        const answers = yield* Effect.all(changes, { concurrency: "unbounded" })
        expect(answers.map(summary).sort()).toStrictEqual([ok, wrong])
      })
    )

    it.scoped("ends a session that began with the old password while the change waited for it", () =>
      Effect.gen(function* () {
        const server = yield* startServer()
        const member = yield* signUp(server)
        const holder = yield* connect(server.databaseUrl)
        const hold = (statement: string) => Effect.promise(() => holder.query(statement))
        const waiting = (what: string, count: number) =>
          eventually(
            what,
            Effect.map(
              execute(
                server.databaseUrl,
                "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
              ),
              ({ length }) => length === count
            )
          )
        yield* hold(`begin; select from audit_heads where company_id = '${member.companyId}' for update`)
        const signingIn = yield* Effect.fork(signIn(server, member, member.password))
        yield* waiting("the sign-in has begun a session, and waits for the audit trail", 1)
        const changing = yield* Effect.fork(
          changePassword(server, member.cookie, { currentPassword: member.password, newPassword: better })
        )
        yield* waiting("the change waits for the sign-in", 2)
        yield* hold("commit")
        const signedIn = yield* Fiber.join(signingIn)
        expect(signedIn.status).toBe(200)
        expect(summary(yield* Fiber.join(changing))).toStrictEqual(ok)
        expect(summary(yield* me(server, signedIn.cookie))).toStrictEqual(unauthorized)
      })
    )
  })

  describe("sessions", () => {
    it.effect("are listed, the last used first, with the current one marked", () =>
      Effect.gen(function* () {
        const { member, server } = yield* signedUp
        const phone = yield* signIn(server, member, member.password, "a phone")
        yield* execute(
          server.databaseUrl,
          "update dashboard_sessions set last_seen_at = now() - interval '30 seconds' where user_id = $1 and user_agent <> 'a phone'",
          [member.userId]
        )
        const list = (cookie: string) => send(server, "GET", "/api/auth/sessions", { headers: { cookie } })
        const entry = (current: boolean, user_agent: unknown) => ({
          id: anId,
          current,
          user_agent,
          created_at: anInstant,
          last_seen_at: anInstant,
          expires_at: anInstant
        })
        const aText: unknown = expect.any(String)
        expect(summary(yield* list(phone.cookie))).toStrictEqual([
          200,
          { sessions: [entry(true, "a phone"), entry(false, aText)] }
        ])
        expect(summary(yield* list(member.cookie))).toStrictEqual([
          200,
          { sessions: [entry(false, "a phone"), entry(true, aText)] }
        ])
      })
    )

    it.effect("a very long User-Agent is truncated", () =>
      Effect.gen(function* () {
        const { member, server } = yield* signedUp
        const { cookie } = yield* signIn(server, member, member.password, "x".repeat(4_000))
        const { body } = yield* send(server, "GET", "/api/auth/sessions", { headers: { cookie } })
        expect(field(body, "sessions", 0, "user_agent")).toBe("x".repeat(300))
      })
    )

    describe("a user has at most 100", () => {
      const makeMany = (server: RunningServer, { userId }: Member, count: number) =>
        execute(
          server.databaseUrl,
          `insert into dashboard_sessions (token_hash, user_id, user_agent, expires_at, last_seen_at)
           select sha256(($1 || i)::bytea), $2, 'script ' || i, now() + interval '1 day', now() - make_interval(mins => i)
           from generate_series(1, $3::int) i`,
          [crypto.randomUUID(), userId, count]
        )
      const agents = (server: RunningServer, { userId }: Member) =>
        Effect.map(
          execute(
            server.databaseUrl,
            "select user_agent from dashboard_sessions where user_id = $1 order by last_seen_at desc",
            [userId]
          ),
          (rows) => rows.map(({ user_agent }) => user_agent)
        )

      it.effect("a sign-in ends the least recently used ones, and the audit trail says how many", () =>
        Effect.gen(function* () {
          const { member, server } = yield* signedUp
          const stranger = yield* signUp(server)
          yield* makeMany(server, stranger, 120)
          yield* makeMany(server, member, 150)
          const { cookie } = yield* signIn(server, member, member.password, "new")
          const kept = yield* agents(server, member)
          expect(kept).toHaveLength(100)
          expect(kept[0]).toBe("new")
          expect(kept.at(-1)).toBe("script 98")
          // The one that was in use all the time.
          expect((yield* me(server, member.cookie)).status).toBe(200)
          expect(yield* agents(server, stranger)).toHaveLength(121)
          const { body } = yield* send(server, "GET", "/api/audit-events?action=user.signed_in", {
            headers: { cookie }
          })
          expect(field(body, "events", 0, "details")).toStrictEqual({ session_id: anId, sessions_ended: 52 })
        })
      )

      it.effect("a sign-in that replaces the browser's own session ends one fewer", () =>
        Effect.gen(function* () {
          const { member, server } = yield* signedUp
          yield* makeMany(server, member, 99)
          const { email, password } = member
          const again = yield* send(server, "POST", "/api/auth/login", {
            headers: { cookie: member.cookie, "user-agent": "again" },
            json: { email, password }
          })
          expect(again.status).toBe(200)
          const kept = yield* agents(server, member)
          expect([kept.length, kept[0], kept.at(-1)]).toStrictEqual([100, "again", "script 99"])
        })
      )
    })

    it.effect("one is ended at once; a colleague's and an ended one: 404 Session not found", () =>
      Effect.gen(function* () {
        const { member, server } = yield* signedUp
        const other = yield* signIn(server, member, member.password)
        const colleague = yield* join(server, member, "owner")
        const end = (cookie: string) =>
          Effect.gen(function* () {
            const { body } = yield* send(server, "GET", "/api/auth/sessions", { headers: { cookie } })
            const current = [field(body, "sessions")].flat().find((one) => field(one, "current") === true)
            return send(server, "POST", `/api/auth/sessions/${field(current, "id")}/end`, {
              headers: { cookie: member.cookie }
            })
          })
        const unknown = [404, { error: "Session not found" }]
        expect(summary(yield* yield* end(colleague.cookie))).toStrictEqual(unknown)
        expect((yield* me(server, colleague.cookie)).status).toBe(200)
        const endOther = yield* end(other.cookie)
        expect(summary(yield* endOther)).toStrictEqual(ok)
        expect(summary(yield* me(server, other.cookie))).toStrictEqual(unauthorized)
        expect((yield* me(server, member.cookie)).status).toBe(200)
        expect(summary(yield* endOther)).toStrictEqual(unknown)
      })
    )

    it.effect("all others can be ended at once; the current one stays", () =>
      Effect.gen(function* () {
        const { member, server } = yield* signedUp
        const others = yield* Effect.all([1, 2, 3].map(() => signIn(server, member, member.password)))
        const answer = yield* send(server, "POST", "/api/auth/sessions/end-others", {
          headers: { cookie: member.cookie }
        })
        expect(summary(answer)).toStrictEqual(ok)
        for (const { cookie } of others)
          expect(summary(yield* me(server, cookie))).toStrictEqual(unauthorized)
        expect((yield* me(server, member.cookie)).status).toBe(200)
      })
    )
  })
})

describe("Protective limits (contract.md#protective-limits)", () => {
  it.scopedLive(
    "guessing the current password: 429 after 10 by one session, not for the owner's others",
    () =>
      Effect.gen(function* () {
        // In which no budget grows.
        const server = yield* stoppedClock().by(startServer())
        const member = yield* signUp(server)
        const stolen = yield* signIn(server, member, member.password)
        const change = (cookie: string, currentPassword: string) =>
          changePassword(server, cookie, { currentPassword, newPassword: better })
        for (let tries = 0; tries < 10; tries++) {
          expect(summary(yield* change(stolen.cookie, `wrong password ${tries}`))).toStrictEqual(wrong)
        }
        const refused = yield* change(stolen.cookie, member.password)
        expect(summary(refused)).toStrictEqual([429, { error: "Too many requests" }])
        expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
        expect(summary(yield* change(member.cookie, member.password))).toStrictEqual(ok)
      })
  )
})
