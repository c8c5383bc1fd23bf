/** The commands about companies, users, keys and instances, against a server that runs on the same database. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { cli, jsonOf, onDatabase } from "../support/cli.ts"
import { expire, field, send, text } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { companyOn } from "../support/kyc/partner.ts"
import { execute, temporaryFolder } from "../support/postgres.ts"
import { type OwnServer, startServer } from "../support/server.ts"
import { anId, anInstant } from "../support/shapes.ts"
import { suite } from "../support/suite.ts"

const password = "correct horse battery staple"

class Service extends Context.Tag("Service")<Service, OwnServer>() {
  static readonly layer = Layer.scoped(Service, Effect.orDie(startServer()))
}

/** Runs a command on the server's database. */
const run = (words: ReadonlyArray<string>, stdin = "", exitCode = 0) =>
  Effect.flatMap(Service, ({ databaseUrl }) => cli(words, { ...onDatabase(databaseUrl), stdin, exitCode }))

/** What a command answers that has to go well, and says nothing beside it. */
const json = (words: ReadonlyArray<string>, stdin?: string) =>
  Effect.map(run([...words, "--json"], stdin), (ran) => {
    expect(ran.stderr).toBe("")
    return jsonOf(ran)
  })

const refuses = (words: ReadonlyArray<string>, exitCode: number, sentence: string, stdin?: string) =>
  Effect.map(run(words, stdin, exitCode), (ran) => {
    const hint = exitCode === 2 ? "Add --help for usage.\n" : ""
    expect(ran).toEqual({ exitCode, stdout: "", stderr: `doorlock: ${sentence}\n${hint}` })
  })

const newCompany = Effect.gen(function* () {
  const [id, name] = [crypto.randomUUID(), `Company ${crypto.randomUUID()}`]
  const { databaseUrl } = yield* Service
  yield* execute(databaseUrl, "insert into companies (id, name) values ($1, $2)", [id, name])
  return { id, name }
})

const newEmail = () => `user-${crypto.randomUUID()}@example.com`

const signIn = (email: string, secret: string) =>
  Effect.flatMap(Service, (server) =>
    send(server, "POST", "/api/auth/login", { json: { email, password: secret } })
  )

suite(Service.layer)("on a database that a server uses", (it) => {
  describe("company list", () => {
    it.effect("shows all companies and their numbers of users, the oldest first", () =>
      Effect.gen(function* () {
        const [first, second] = [yield* newCompany, yield* newCompany]
        const words = ["user", "create", newEmail(), "--company", second.id, "--role", "owner"]
        yield* json([...words, "--password-stdin"], password)
        const listed = field(yield* json(["company", "list"]), "companies")
        expect(Array.isArray(listed) ? listed.slice(-2) : []).toEqual([
          { ...first, users: 0, created_at: anInstant },
          { ...second, users: 1, created_at: anInstant }
        ])
        const lines = (yield* run(["company", "list"])).stdout.split("\n")
        expect(lines[0]).toMatch(/^NAME +USERS +CREATED +ID$/)
        expect(lines.at(-2)).toMatch(new RegExp(`^${second.name} +1 +\\d{4}-[^ ]+Z +${second.id}$`))
      })
    )
  })

  describe("user list", () => {
    it.effect("shows the users of all companies, or of one, and no password", () =>
      Effect.gen(function* () {
        const [company, other] = [yield* newCompany, yield* newCompany]
        const make = (email: string, { id }: { readonly id: string }, role: string) =>
          json(["user", "create", email, "--company", id, "--role", role, "--password-stdin"], password)
        const [ada, eve] = [newEmail(), newEmail()]
        yield* make(ada, company, "viewer")
        yield* make(eve, other, "owner")
        const listedAda = { id: anId, email: ada, role: "viewer", created_at: anInstant, company }
        const listedEve = { id: anId, email: eve, role: "owner", created_at: anInstant, company: other }
        expect(yield* json(["user", "list", "--company", company.name])).toEqual({ users: [listedAda] })
        const all = field(yield* json(["user", "list"]), "users")
        expect(Array.isArray(all) ? all.slice(-2) : []).toEqual([listedAda, listedEve])
        const { stdout } = yield* run(["user", "list", "--company", other.id])
        expect(stdout).toMatch(
          new RegExp(`^EMAIL +ROLE +COMPANY +CREATED +ID\n${eve} +owner +${other.name} +\\S+Z +\\S+\n$`)
        )
        expect((yield* run(["user", "list", "--company", (yield* newCompany).id])).stdout).toBe(
          "There are no users.\n"
        )
        yield* refuses(["user", "list", "--company", "Nobody Ltd"], 1, "There is no company Nobody Ltd.")
      })
    )
  })

  describe("user create", () => {
    it.effect("creates a user who can sign in, with a password from standard input", () =>
      Effect.gen(function* () {
        const company = yield* newCompany
        const email = newEmail()
        const words = ["user", "create", email.toUpperCase(), "--company", company.name, "--role", "viewer"]
        expect(yield* json([...words, "--password-stdin"], `${password}\n`)).toEqual({
          user: { id: anId, email, role: "viewer" },
          company
        })
        const answer = yield* signIn(email, password)
        expect([answer.status, answer.body]).toEqual([
          200,
          { ok: true, user: { id: anId, email, role: "viewer" }, company }
        ])
      })
    )

    it.effect("generates a password and shows it once", () =>
      Effect.gen(function* () {
        const { id } = yield* newCompany
        const email = newEmail()
        const words = ["user", "create", "--generate-password", "--role=owner", email, `--company=${id}`]
        const made = text(yield* json(words), "password")
        expect(made).toMatch(/^[0-9A-Za-z]{20}$/)
        expect((yield* signIn(email, made)).status).toBe(200)
      })
    )

    it.effect("refuses what the API refuses, without showing the password", () =>
      Effect.gen(function* () {
        const { id } = yield* newCompany
        const create = (email: string) => [
          ...["user", "create", email, "--company", id, "--role", "member", "--password-stdin"]
        ]
        const email = newEmail()
        yield* refuses(create("nobody"), 2, "email must be an email address", password)
        yield* refuses(create(email), 2, "password must be at least 12 characters long", "elevenchars")
        yield* refuses(create(email), 2, "There is no password on standard input.", "")
        yield* json(create(email), password)
        yield* refuses(create(email), 1, "Email is already registered", password)
      })
    )
  })

  describe("user password", () => {
    it.effect("sets another password and ends the user's sessions", () =>
      Effect.gen(function* () {
        const server = yield* Service
        const { id } = yield* newCompany
        const email = newEmail()
        yield* json(
          ["user", "create", email, "--company", id, "--role", "owner", "--password-stdin"],
          password
        )
        const cookie = (yield* signIn(email, password)).headers.getSetCookie()[0]?.split(";")[0] ?? ""
        const me = send(server, "GET", "/api/auth/me", { headers: { cookie } })
        expect((yield* me).status).toBe(200)

        const next = "another password, as long"
        expect(yield* json(["user", "password", ` ${email} `, "--password-stdin"], `${next}\r\n`)).toEqual({
          user: { id: anId, email, role: "owner" },
          endedSessions: 1
        })
        expect((yield* me).status).toBe(401)
        expect((yield* signIn(email, password)).status).toBe(401)
        expect((yield* signIn(email, next)).status).toBe(200)
      })
    )
  })

  describe("key", () => {
    const askWith = (token: string) =>
      Effect.flatMap(Service, (server) =>
        send(server, "POST", "/api/kyc/public/sessions", {
          headers: { "x-api-key": token },
          json: { instanceKey: "kyc_pk_unknown" }
        })
      )

    it.effect("is created, works, is listed, is revoked, and is refused from then on", () =>
      Effect.gen(function* () {
        const { id: company } = yield* newCompany
        const made = jsonOf(
          yield* run(["key", "create", "--name", " deploy ", "--company", company, "--json"])
        )
        const token = text(made, "token")
        const apiKey = {
          id: anId,
          name: "deploy",
          scopes: ["*"],
          expiresAt: null,
          activeNow: true,
          token_prefix: token.slice(0, 8),
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/),
          last_used_at: null,
          revoked_at: null
        }
        expect(made).toEqual({ apiKey, token: expect.stringMatching(/^dlk_[0-9A-Za-z]{49}$/) })
        // A good key for an instance that is not there.
        expect((yield* askWith(token)).status).toBe(404)

        const listed = yield* run(["key", "list", "--company", company, "--json"])
        expect(jsonOf(listed)).toMatchObject({ apiKeys: [{ name: "deploy" }] })
        expect(listed.stdout).not.toContain(token.slice(0, 12))

        const key = text(made, "apiKey", "id")
        expect(yield* json(["key", "revoke", key, "--company", company])).toEqual({ ok: true })
        // The database notifies the server.
        yield* eventually(
          "the server refuses the key",
          Effect.map(askWith(token), ({ status }) => status === 401)
        )
        yield* json(["key", "revoke", "--company", company, key])

        yield* (yield* Service).run("keys.uses")
        const { stdout: list } = yield* run(["key", "list", "--company", company])
        const [head, row, ...rest] = list.split("\n")
        expect(head).toMatch(/^NAME {4}TOKEN {8}STATE {4}SCOPES {2}LAST USED +ID$/)
        expect(row).toMatch(
          new RegExp(`^deploy {2}${token.slice(0, 8)}\\.{3} {2}revoked {2}\\* {7}\\d{4}-[^ ]+Z {2}${key}$`)
        )
        expect(rest).toEqual([""])
      })
    )

    it.effect("is created expired, or without scopes, with a warning on standard error", () =>
      Effect.gen(function* () {
        const { id: company } = yield* newCompany
        const create = ["key", "create", "--name", "k", "--company", company, "--json"]
        const expired = yield* run([...create, "--scope", "kyc", "--expires-at", "2020-01-01"])
        expect(expired.stderr).toBe("doorlock: The key has expired: its expiry is in the past.\n")
        const every = yield* run(create)
        expect(every.stderr).toBe(
          "doorlock: The key permits everything but what has to be named, because no scopes were given.\n"
        )
        expect(jsonOf(every)).toMatchObject({ apiKey: { scopes: ["*"] } })
      })
    )

    it.effect("shows names on one line, without terminal control characters", () =>
      Effect.gen(function* () {
        const { id: company } = yield* newCompany
        yield* json([
          "key",
          "create",
          "--company",
          company,
          "--scope",
          "kyc",
          "--name",
          "a\u001b[31m\nb\u0007c\u202ed"
        ])
        const { stdout } = yield* run(["key", "list", "--company", company])
        expect(stdout.split("\n")[1]).toMatch(/^a b c d {2}dlk_/)
      })
    )

    it.effect("belongs to the named company", () =>
      Effect.gen(function* () {
        const one = yield* newCompany
        yield* json(["company", "create", one.name])
        const list = (named: string) => ["key", "list", "--company", named]
        yield* refuses(list("Nobody Ltd"), 1, "There is no company Nobody Ltd.")
        const unknown = crypto.randomUUID()
        yield* refuses(list(unknown), 1, `There is no company ${unknown}.`)
        expect((yield* run(list(one.name), "", 2)).stderr).toMatch(
          new RegExp(`^doorlock: Several companies have this name. Choose one by its id: ${one.id} \\(`)
        )
        expect((yield* run(["key", "list"], "", 2)).stderr).toMatch(
          /^doorlock: There are several companies. Choose one with --company: /
        )
        expect((yield* run(list(one.id))).stdout).toBe("The company has no keys.\n")
      })
    )
  })

  describe("session show", () => {
    it.effect("shows a session's status and timeline, but no entered data and no secret", () =>
      Effect.gen(function* () {
        const { asMember, instance, member, newSession, progress } = yield* companyOn(yield* Service)
        const session = yield* newSession({ externalReference: "customer-7", metadata: { plan: "of Ada" } })
        const person = { givenName: "Ada", familyName: "Berg", dateOfBirth: "1990-02-28", nationality: "EST" }
        yield* progress(session, { status: "running", progress: { s_person: person } })
        const shown = yield* json(["session", "show", session.id])
        const events = field(
          (yield* asMember("GET", `/api/kyc/sessions/${session.id}/timeline`)).body,
          "events"
        )
        expect(shown).toEqual({
          session: {
            id: session.id,
            instance_id: instance.id,
            company_id: member.companyId,
            mode: "prod",
            status: "running",
            external_reference: "customer-7",
            expires_at: anInstant,
            created_at: anInstant,
            started_at: anInstant,
            updated_at: anInstant,
            completed_at: null,
            redacted_at: null,
            assurance: expect.objectContaining({ captcha: { verified: false, score: null, at: null } })
          },
          company: { id: member.companyId, name: "Acme" },
          instance: { id: instance.id, name: "test" },
          events
        })
        const { stdout } = yield* run(["session", "show", session.id])
        for (const line of [
          new RegExp(`^session +${session.id}$`, "m"),
          /^status +running$/m,
          /^company +Acme$/m,
          /^reference +customer-7$/m,
          /^captcha +not passed$/m,
          /^\d{4}-\S+Z +started$/m,
          /^\d{4}-\S+Z +progress +steps person$/m
        ]) {
          expect(stdout).toMatch(line)
        }
        for (const output of [stdout, JSON.stringify(shown)]) {
          expect(output).not.toContain("Ada")
          expect(output).not.toContain(session.token)
        }
      })
    )
  })

  describe("session cancel, session resume", () => {
    it.effect(
      "give a session of any company a new link, and cancel it; the company's audit trail says so",
      () =>
        Effect.gen(function* () {
          const { asMember, newSession, read, server } = yield* companyOn(yield* Service)
          const session = yield* newSession()
          yield* Effect.orDie(expire(server, session.id))
          yield* refuses(["session", "resume", session.id], 1, "Session expired")
          yield* refuses(
            ["session", "resume", session.id, "--expires-in", "0"],
            2,
            "expiresInSeconds must be a whole number from 1 to 2592000"
          )
          const resumed = yield* json(["session", "resume", session.id, "--expires-in", "600"])
          const token = text(resumed, "sessionToken")
          expect(text(resumed, "verificationUrl")).toContain(`/kyc/session/${session.id}?token=${token}`)
          expect([(yield* read({ ...session, token })).status, (yield* read(session)).status]).toEqual([
            200, 404
          ])
          const cancelled = yield* run(["session", "cancel", session.id])
          expect(cancelled.stdout).toMatch(/^status +cancelled$/m)
          yield* refuses(["session", "cancel", session.id], 1, "Session is not updatable")
          const trail = yield* asMember("GET", "/api/audit-events?limit=2")
          expect(field(trail.body, "events")).toMatchObject([
            { action: "kyc_session.cancelled", actor: { kind: "operator" } },
            { action: "kyc_session.resumed", actor: { kind: "operator" } }
          ])
        })
    )
  })

  describe("instance create", () => {
    it.scoped("creates an instance from JSON and YAML", () =>
      Effect.gen(function* () {
        const { id: company } = yield* newCompany
        const folder = yield* temporaryFolder
        const [config, workflow] = [join(folder, "config.yaml"), join(folder, "workflow.json")]
        yield* Effect.promise(() => writeFile(config, "v: 1\ntitle: { en: Hello }\n"))
        yield* Effect.promise(() =>
          writeFile(
            workflow,
            JSON.stringify({ v: 1, id: "w", version: 1, steps: [{ id: "r", type: "review" }] })
          )
        )
        const words = ["instance", "create", "--company", company, "--name", "Onboarding"]
        expect(yield* json([...words, "--config", config, "--workflow", workflow])).toMatchObject({
          instance: {
            id: anId,
            name: "Onboarding",
            public_key: expect.stringMatching(/^kyc_pk_[0-9A-Za-z]{24}$/),
            config: { v: 1, title: { en: "Hello" } },
            workflow: { id: "w" }
          }
        })
      })
    )
  })

  it.effect("refuses what the API refuses", () =>
    Effect.gen(function* () {
      const { id: company } = yield* newCompany
      const [create, revoke] = [
        ["key", "create", "--company", company],
        ["key", "revoke", "--company", company]
      ] as const
      const newPassword = ["user", "password", newEmail(), "--password-stdin"]
      const rows: ReadonlyArray<Parameters<typeof refuses>> = [
        [["company", "create", "  "], 2, "companyName is required"],
        [newPassword, 1, "No user has this email address.", password],
        [newPassword, 2, "password must be at least 12 characters long", "short"],
        [[...create, "--name", " "], 2, "name is required"],
        [[...create, "--name", "x", "--expires-at", "2023-02-29"], 2, "expiresAt must be an ISO date string"],
        [[...revoke, crypto.randomUUID()], 1, "API key not found"],
        [[...revoke, "key-1"], 1, "API key not found"],
        [["session", "show", crypto.randomUUID()], 1, "Session not found"],
        [["session", "show", "x"], 1, "Session not found"]
      ]
      for (const row of rows) yield* refuses(...row)
    })
  )
})

it.scopedLive("with no company or only one, none has to be named", () =>
  Effect.gen(function* () {
    const { databaseUrl } = yield* startServer()
    const list = (exitCode: number) => cli(["key", "list"], { ...onDatabase(databaseUrl), exitCode })
    expect(yield* list(1)).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: "doorlock: There is no company yet. Create one with company create.\n"
    })
    yield* execute(databaseUrl, "insert into companies (id, name) values (gen_random_uuid(), 'One')")
    expect((yield* list(0)).stdout).toBe("The company has no keys.\n")
  })
)
