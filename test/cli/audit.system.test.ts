import { mkdirSync, writeFileSync } from "node:fs"
import { userInfo } from "node:os"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { cli, jsonOf, onDatabase } from "../support/cli.ts"
import { text } from "../support/client.ts"
import { freshDatabase } from "../support/database.ts"
import { execute, temporaryFolder } from "../support/postgres.ts"

const headForm = /^\d+:[0-9a-f]{64}$/

it.scopedLive(
  "what the operator does is in the audit trail, and audit verify says whether the trail is intact",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const database = onDatabase(url)
      const json = (words: ReadonlyArray<string>, stdin = "", exitCode = 0) =>
        Effect.map(cli([...words, "--json"], { ...database, stdin, exitCode }), (ran) => {
          expect(ran.stderr).toBe("")
          return jsonOf(ran)
        })
      const none = yield* cli(["audit", "verify"], database)
      expect(none).toEqual({
        exitCode: 0,
        stdout: "There are no audit trails, because there is no company.\n",
        stderr: ""
      })

      const company = text(yield* json(["company", "create", "One"]), "company", "id")
      const secret = "correct horse battery staple"
      yield* json(["user", "create", "a@example.com", "--role", "owner", "--password-stdin"], secret)
      yield* json(["user", "password", "a@example.com", "--password-stdin"], `${secret}!`)
      const made = yield* json(["key", "create", "--name", "k", "--scope", "kyc"])
      yield* json(["key", "revoke", text(made, "apiKey", "id")])
      yield* json(["instance", "create", "--name", "i"])
      // What is refused is no act.
      yield* json(["user", "create", "a@example.com", "--role", "owner", "--password-stdin"], secret, 1)

      const events = yield* execute(
        url,
        `select actor_kind, actor_name, address, company_id, action, resource_name, details::text
       from audit_events order by position`
      )
      const byOperator = {
        actor_kind: "operator",
        actor_name: userInfo().username,
        address: null,
        company_id: company
      }
      expect(events).toEqual([
        { ...byOperator, action: "company.created", resource_name: "One", details: "{}" },
        {
          ...byOperator,
          action: "user.created",
          resource_name: "a@example.com",
          details: '{"role":"owner"}'
        },
        {
          ...byOperator,
          action: "user.password_reset",
          resource_name: "a@example.com",
          details: '{"sessions_ended":0}'
        },
        { ...byOperator, action: "api_key.created", resource_name: "k", details: expect.any(String) },
        { ...byOperator, action: "api_key.revoked", resource_name: "k", details: expect.any(String) },
        { ...byOperator, action: "kyc_instance.created", resource_name: "i", details: expect.any(String) }
      ])
      const dump = JSON.stringify(events)
      expect(dump).not.toContain(secret)
      expect(dump).not.toContain(text(made, "token").slice(8))

      const place = expect.stringMatching(/audit-anchors\.jsonl$/)
      const anchors = { place, first: null, last: null, unreadable: 0 }
      const whole = yield* json(["audit", "verify"])
      expect(whole).toEqual({
        ok: true,
        trails: [
          { company_id: company, ok: true, events: 6, head: expect.stringMatching(headForm), fault: null }
        ],
        anchors
      })
      const head = text(whole, "trails", 0, "head")
      const { stdout } = yield* cli(["audit", "verify", "--company", "One", "--noted", head], database)
      const [trail, warning] = stdout.split("\n")
      expect(trail).toBe(`ok      ${company}  6 events, head ${head}`)
      expect(warning).toMatch(/^warning There are no anchors in \S+audit-anchors\.jsonl: a tail that was /)

      // As whoever owns the table can.
      yield* execute(
        url,
        `alter table audit_events disable trigger audit_events_kept;
       update audit_events set action = 'api.published' where position = 4;
       alter table audit_events enable always trigger audit_events_kept`
      )
      const changed = yield* cli(["audit", "verify"], { ...database, exitCode: 1 })
      expect(changed).toEqual({
        exitCode: 1,
        stdout: expect.stringMatching(
          `^failed  ${company}  Event 4 is not as it was written: its hash does not match\\.\nwarning `
        ),
        stderr: ""
      })
    })
)

it.scopedLive("audit seal reseals, under a new SECRET_KEY, intact trails only", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const json = (words: ReadonlyArray<string>, more: Record<string, string> = {}, exitCode = 0) =>
      Effect.map(cli([...words, "--json"], { ...onDatabase(url, more), exitCode }), jsonOf)
    const whole = text(yield* json(["company", "create", "One"]), "company", "id")
    const changed = text(yield* json(["company", "create", "Two"]), "company", "id")
    expect(yield* json(["audit", "seal"])).toEqual({ sealed: [], unsealed: [] })

    const key = "another secret key for tests, 32 bytes"
    const verified = json(["audit", "verify"], { SECRET_KEY: key }, 1)
    expect(yield* verified).toMatchObject({
      ok: false,
      trails: [{ fault: { kind: "resealed", position: 1 } }, { fault: { kind: "resealed", position: 1 } }]
    })
    yield* execute(
      url,
      `alter table audit_events disable trigger audit_events_kept;
       update audit_events set actor_name = 'x' where company_id = '${changed}';
       alter table audit_events enable always trigger audit_events_kept`
    )
    // Anchors that cannot be read: whatever they say would not be asked.
    const dataDir = yield* temporaryFolder
    mkdirSync(join(dataDir, "audit-anchors.jsonl"))
    const blind = { ...onDatabase(url, { SECRET_KEY: key, DATA_DIR: dataDir }), exitCode: 1 }
    expect(yield* cli(["audit", "seal"], blind)).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: expect.stringMatching(
        /Without the anchors nothing is sealed\. The anchors in \S+ cannot be read/
      )
    })
    // There are some, and none that says anything.
    const spoilt = yield* temporaryFolder
    writeFileSync(join(spoilt, "audit-anchors.jsonl"), "x\n")
    for (const command of ["seal", "verify"]) {
      const { stderr, stdout } = yield* cli(["audit", command], {
        ...onDatabase(url, { SECRET_KEY: key, DATA_DIR: spoilt }),
        exitCode: 1
      })
      expect(stdout + stderr).toContain("None of the anchors in ")
    }
    const listed = (from: number, to: number) => [
      { company_id: whole, from, to, fault: { kind: "resealed", position: 1 } }
    ]
    for (let asked = 0; asked < 2; asked++) {
      expect(yield* json(["audit", "seal"], { SECRET_KEY: key }, 1)).toMatchObject({
        sealed: [],
        unsealed: listed(1, 1)
      })
    }
    const { stdout } = yield* cli(["audit", "seal"], { ...onDatabase(url, { SECRET_KEY: key }), exitCode: 1 })
    const [, end = ""] =
      new RegExp(`unsealed +(${whole}:1:[0-9a-f]{64}) +events 1 to 1\\. .*\\n.*--yes`).exec(stdout) ?? []
    const anchored = { SECRET_KEY: key, DATA_DIR: yield* temporaryFolder }
    // The end was sealed when it was anchored.
    writeFileSync(
      join(anchored.DATA_DIR, "audit-anchors.jsonl"),
      `${JSON.stringify({ at: new Date(), heads: [end] })}\n`
    )
    expect(yield* json(["audit", "seal"], anchored, 1)).toMatchObject({ unsealed: listed(2, 1) })
    // Somebody adds an event, and it is not sealed without having been listed.
    yield* execute(
      url,
      `insert into audit_events (company_id, id, actor_kind, actor_name, action, resource_kind, resource_id, details)
       values ('${whole}', gen_random_uuid(), 'operator', 'x', 'audit.began', 'company', '${whole}', '{}')`
    )
    const grown = yield* json(["audit", "seal", "--yes", end], anchored, 1)
    expect(grown).toMatchObject({ sealed: [], unsealed: listed(2, 2) })
    const sealing = ["audit", "seal", "--yes", text(grown, "unsealed", 0, "end")]
    const ofOther = [...sealing, "--company", changed]
    yield* cli(ofOther, { ...onDatabase(url, anchored), exitCode: 2 })
    yield* cli(["audit", "seal", "--yes", "1"], { ...onDatabase(url, { SECRET_KEY: key }), exitCode: 2 })
    expect(yield* json(sealing, anchored)).toEqual({ sealed: [whole], unsealed: [] })
    expect(yield* verified).toMatchObject({
      ok: false,
      trails: [{ events: 3, fault: null }, { fault: { kind: "changed", position: 1 } }]
    })
    expect(
      yield* execute(url, "select action, actor_name, details from audit_events order by at desc limit 1")
    ).toEqual([
      {
        action: "audit.sealed",
        actor_name: userInfo().username,
        details: { fault: "resealed", from: 1 }
      }
    ])
  })
)
