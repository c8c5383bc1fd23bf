/** Data that was stored long enough (docs/privacy.md#retention). */
import { expect, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { Redaction } from "../../../src/kyc/redaction/service.ts"
import { figures } from "../../../src/observability/meters.ts"
import { createInstance, field, send, type TestSession, text } from "../../support/client.ts"
import { wireTap } from "../../support/database/wire-tap.ts"
import { freshDatabase } from "../../support/database.ts"
import { samples, upload } from "../../support/kyc/files.ts"
import { companyOf, companyOn } from "../../support/kyc/partner.ts"
import { idAt } from "../../support/kyc/session-ids.ts"
import { execute, temporaryFolder } from "../../support/postgres.ts"
import { startServer, startServerOn } from "../../support/server.ts"

it.scopedLive(
  "each instance has its time, and the shorter one where it was changed; the service's own holds for the others",
  () =>
    Effect.gen(function* () {
      const server = yield* startServer({ DATA_DIR: yield* temporaryFolder, RETENTION_FINISHED_DAYS: "30" })
      const { retain } = Context.get(server.services, Redaction)
      const own = yield* companyOn(server)
      const withRetention = (retention: object) =>
        Effect.map(createInstance(server, own.member, { config: { retention } }), (instance) =>
          companyOf(server, own.member, own.key, instance)
        )
      const change = ({ instance }: typeof own, retention: object) =>
        Effect.map(
          own.asMember("PATCH", `/api/kyc/instances/${instance.id}`, { config: { retention } }),
          ({ status }) => expect(status).toBe(200)
        )
      const session = (company: typeof own, state: "expired" | "finished" | "open", days = 0) =>
        Effect.gen(function* () {
          const made = yield* company.newSession({ metadata: { plan: "gold" } })
          expect((yield* upload(server, made, samples.pdf)).status).toBe(201)
          const time = `now() - interval '${days} days'`
          const noted = yield* own.asMember("POST", `/api/kyc/sessions/${made.id}/notes`, { text: "Called" })
          expect(noted.status).toBe(201)
          if (state === "finished") {
            yield* company.complete(made)
            yield* execute(
              server.databaseUrl,
              `update kyc_sessions set completed_at = ${time} where id = $1`,
              [made.id]
            )
          }
          if (state === "expired") {
            yield* execute(server.databaseUrl, `update kyc_sessions set expires_at = ${time} where id = $1`, [
              made.id
            ])
          }
          return made
        })
      const strict = yield* withRetention({ finishedDays: 10, unfinishedDays: 5, filesDays: 2 })
      const shortened = yield* withRetention({ finishedDays: 20 })
      const extended = yield* withRetention({ finishedDays: 5 })
      const expected: ReadonlyArray<
        readonly [what: string, session: TestSession, status: string, data: boolean, files: number]
      > = [
        ["finished long ago", yield* session(strict, "finished", 11), "completed", false, 0],
        [
          "finished, but with files for too long",
          yield* session(strict, "finished", 9),
          "completed",
          true,
          0
        ],
        ["finished lately", yield* session(strict, "finished", 1), "completed", true, 1],
        ["expired long ago", yield* session(strict, "expired", 6), "created", false, 0],
        ["expired, but with files for too long", yield* session(strict, "expired", 4), "created", true, 0],
        ["open", yield* session(strict, "open"), "created", true, 1],
        ["finished, by the service's own time", yield* session(own, "finished", 31), "completed", false, 0],
        [
          "finished, within the service's own time",
          yield* session(own, "finished", 29),
          "completed",
          true,
          1
        ],
        ["expired, where nothing is set", yield* session(own, "expired", 1000), "created", true, 1],
        [
          "finished before the time was shortened",
          yield* session(shortened, "finished", 6),
          "completed",
          false,
          0
        ],
        [
          "finished before the time was extended",
          yield* session(extended, "finished", 6),
          "completed",
          false,
          0
        ]
      ]
      yield* change(shortened, { finishedDays: 5 })
      yield* change(extended, { finishedDays: 20 })
      const later = yield* session(extended, "finished", 6)
      // The receipt states the time of the instance, or else of the service.
      for (const [company, days, fileDays] of [
        [own, 30, 30],
        [extended, 20, 20],
        [strict, 10, 2]
      ] as const) {
        const { path, token } = yield* session(company, "finished")
        const { body } = yield* send(server, "POST", `${path}/receipt`, { json: { token } })
        const payload = text(body, "receipt").split(".")[1] ?? ""
        const receipt: unknown = JSON.parse(Buffer.from(payload, "base64url").toString())
        const end = Date.parse(text(receipt, "session", "completed_at"))
        const after = (count: number) => new Date(end + count * 86_400_000).toISOString()
        expect(field(receipt, "kept_until")).toEqual({ data: after(days), files: after(fileDays) })
      }
      for (let time = 0; time < 2; time++) {
        yield* retain
        for (const [what, { id }, status, hasData, files] of [
          ...expected,
          ["created after the time was extended", later, "completed", true, 1] as const
        ]) {
          const { body } = yield* own.asPartner(`/api/kyc/sessions/${id}`)
          expect([what, field(body, "session", "status"), field(body, "session", "metadata")]).toEqual([
            what,
            status,
            hasData ? { plan: "gold" } : null
          ])
          const { body: kept } = yield* own.asMember("GET", `/api/kyc/sessions/${id}/notes`)
          expect([what, [field(kept, "notes")].flat().length]).toEqual([what, hasData ? 1 : 0])
          const listed = yield* own.asPartner(`/api/kyc/sessions/${id}/files`)
          expect([what, [field(listed.body, "files")].flat().length]).toEqual([what, files])
        }
        const { body } = yield* own.asMember("GET", "/api/audit-events?action=kyc_session.redacted")
        expect([field(body, "events")].flat().map((event) => field(event, "actor", "name"))).toEqual(
          Array.from({ length: 5 }, () => "doorlock")
        )
        // Of the sessions whose data stayed, two had files for too long.
        const deleted = yield* own.asMember("GET", "/api/audit-events?action=kyc_session.files_deleted")
        expect(field(deleted.body, "events")).toMatchObject(
          Array.from({ length: 2 }, () => ({ actor: { name: "doorlock" }, details: { files: 1 } }))
        )
        const events = yield* own.asPartner("/api/events?type=kyc.session.redacted")
        expect(field(events.body, "events")).toHaveLength(5)
      }
    })
)

it.scopedLive(
  "a session that cannot be redacted keeps no other from it, and is tried again; the rules are read once",
  () =>
    Effect.gen(function* () {
      const tap = yield* wireTap(yield* freshDatabase)
      const server = yield* startServerOn(tap.url, {
        RETENTION_FINISHED_DAYS: "30",
        RETENTION_FILES_DAYS: "30"
      })
      const { retain } = Context.get(server.services, Redaction)
      const company = yield* companyOn(server)
      const sessions = yield* Effect.replicateEffect(
        Effect.tap(company.newSession({ metadata: { plan: "gold" } }), company.complete),
        5
      )
      const [failing = { id: "" }] = sessions
      yield* execute(server.databaseUrl, "update kyc_sessions set completed_at = now() - interval '40 days'")
      yield* execute(
        server.databaseUrl,
        `create function refuse() returns trigger language plpgsql as 'begin raise exception ''refused''; end';
       create trigger refuse before update on kyc_sessions for each row when (old.id = '${failing.id}') execute function refuse()`
      )
      const kept = Effect.map(
        execute(server.databaseUrl, "select id from kyc_sessions where redacted_at is null"),
        (rows) => rows.map(({ id }) => id)
      )
      const failures = () =>
        figures().find(({ name }) => name === "doorlock_retention_failures_total")?.series[
          'what="data"'
        ]?.[0] ?? 0
      const before = failures()
      const sent = tap.statements().length
      yield* retain
      expect(yield* kept).toEqual([failing.id])
      expect(failures()).toBe(before + 1)
      expect(
        tap
          .statements()
          .slice(sent)
          .filter(({ text }) => text.includes("present.config"))
      ).toHaveLength(1)
      yield* execute(server.databaseUrl, "drop trigger refuse on kyc_sessions")
      yield* retain
      expect(yield* kept).toEqual([])
    })
)

it.scopedLive(
  "a hundred sessions that cannot be redacted do not keep later ones from it for more than a round",
  () =>
    Effect.gen(function* () {
      const server = yield* startServer({ DATA_DIR: yield* temporaryFolder, RETENTION_FINISHED_DAYS: "30" })
      const { retain } = Context.get(server.services, Redaction)
      const company = yield* companyOn(server)
      const later = yield* Effect.tap(company.newSession(), company.complete)
      yield* execute(
        server.databaseUrl,
        `update kyc_sessions set completed_at = now() - interval '40 days';
       insert into kyc_sessions
         select (jsonb_populate_record(s, jsonb_build_object('id', ${idAt("now()")}, 'completed_at', now() - interval '50 days'))).*
         from kyc_sessions s, generate_series(1, 100);
       create function refuse() returns trigger language plpgsql as 'begin raise exception ''refused''; end';
       create trigger refuse before update on kyc_sessions for each row when (old.id <> '${later.id}') execute function refuse()`
      )
      const kept = Effect.map(
        execute(server.databaseUrl, "select id from kyc_sessions where redacted_at is null"),
        (rows) => rows.map(({ id }) => id)
      )
      yield* retain
      yield* retain
      const failing = yield* kept
      expect(failing).toHaveLength(100)
      expect(failing).not.toContain(later.id)
      // They are tried again once the others are done.
      yield* execute(server.databaseUrl, "drop trigger refuse on kyc_sessions")
      yield* retain
      expect(yield* kept).toEqual([])
    })
)
