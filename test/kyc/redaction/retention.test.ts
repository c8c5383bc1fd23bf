/** Data that was stored long enough (docs/privacy.md#retention). */
import { expect, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { Redaction } from "../../../src/kyc/redaction/service.ts"
import { figures } from "../../../src/observability/meters.ts"
import { createInstance, field, send, text } from "../../support/client.ts"
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
      const cases = [
        ["finished long ago", strict, "finished", 11, "completed", false, 0],
        ["finished, but with files for too long", strict, "finished", 9, "completed", true, 0],
        ["finished lately", strict, "finished", 1, "completed", true, 1],
        ["expired long ago", strict, "expired", 6, "created", false, 0],
        ["expired, but with files for too long", strict, "expired", 4, "created", true, 0],
        ["open", strict, "open", 0, "created", true, 1],
        ["finished, by the service's own time", own, "finished", 31, "completed", false, 0],
        ["finished, within the service's own time", own, "finished", 29, "completed", true, 1],
        ["expired, where nothing is set", own, "expired", 1000, "created", true, 1],
        ["finished before the time was shortened", shortened, "finished", 6, "completed", false, 0],
        ["finished before the time was extended", extended, "finished", 6, "completed", false, 0]
      ] as const
      const expected = yield* Effect.forEach(cases, ([what, company, state, days, status, hasData, files]) =>
        Effect.map(session(company, state, days), ({ id }) => ({ what, id, status, hasData, files }))
      )
      yield* change(shortened, { finishedDays: 5 })
      yield* change(extended, { finishedDays: 20 })
      const later = yield* session(extended, "finished", 6)
      // The receipt states the service's own time if the instance has none.
      const { path, token } = yield* session(own, "finished")
      const { body } = yield* send(server, "POST", `${path}/receipt`, { json: { token } })
      const payload = text(body, "receipt").split(".")[1] ?? ""
      const receipt: unknown = JSON.parse(Buffer.from(payload, "base64url").toString())
      const end = new Date(Date.parse(text(receipt, "session", "completed_at")) + 30 * 86_400_000)
      expect(field(receipt, "kept_until")).toEqual({ data: end.toISOString(), files: end.toISOString() })
      for (let time = 0; time < 2; time++) {
        yield* retain
        for (const { files, hasData, id, status, what } of [
          ...expected,
          {
            what: "created after it was extended",
            id: later.id,
            status: "completed",
            hasData: true,
            files: 1
          }
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
      const later = yield* Effect.tap(company.newSession(), company.complete)
      // A hundred of them, as many as one round has, and one that is due later.
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
      const failures = () =>
        figures().find(({ name }) => name === "doorlock_retention_failures_total")?.series[
          'what="data"'
        ]?.[0] ?? 0
      const before = failures()
      const sent = tap.statements().length
      yield* retain
      expect(failures()).toBeGreaterThan(before)
      const statements = tap.statements().slice(sent)
      expect(statements.filter(({ text }) => text.includes("present.config"))).toHaveLength(1)
      yield* retain
      const failing = yield* kept
      expect(failing).toHaveLength(100)
      expect(failing).not.toContain(later.id)
      yield* execute(server.databaseUrl, "drop trigger refuse on kyc_sessions")
      yield* retain
      expect(yield* kept).toEqual([])
    })
)
