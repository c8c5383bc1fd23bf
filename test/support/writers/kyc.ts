/** Writers that keep changing all KYC data. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { field, send, text } from "../client.ts"
import type { Company } from "../credentials.ts"
import { tokenWith } from "../kyc/captcha.ts"
import { download, jpegOf, sha256 } from "../kyc/files.ts"
import type { Writer } from "./ledger.ts"
import { bodyOf, dashboard, event, fresh } from "./writing.ts"

/** Sessions: created, filled in, checked, handed over and completed. */
export const sessionWriter =
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
            `coalesce(s.progress ? $2::text, false) as merged${step === "one" ? ", s.started_at is not null as started" : ""}`
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
          "s.status = 'completed' as finished, s.completed_at is not null as at, s.result is not null as told"
        ),
        values: [reference],
        // What is stored is sealed.
        afterwards: (server, answer) =>
          answer === undefined
            ? Effect.void
            : Effect.map(send(server, "GET", `${path}?token=${token}`), ({ body }) => {
                expect(field(body, "session", "result")).toEqual({ reference })
              })
      })
    }).pipe(Effect.forever)

/** Files, each in its own session. */
export const fileWriter =
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
        // A begun upload leaves a record, which the sweep deletes (`faults/files-crash`).
        parts:
          "select (select count(*) = 1 from kyc_files where session_id = $1 and size = $2 and encode(sha256, 'hex') = $3) as kept",
        values: [id, content.length, sha256(content)],
        afterwards: (server, answer) =>
          answer === undefined
            ? Effect.void
            : Effect.map(
                download(
                  server,
                  `/api/kyc/sessions/${id}/files/${text(bodyOf(answer), "file", "id")}?original=true`,
                  {
                    "x-api-key": key.token
                  }
                ),
                ({ bytes, status }) => expect([status, sha256(bytes)]).toEqual([200, sha256(content)])
              )
      })
    }).pipe(Effect.forever)

/** Platform keys; every second one is revoked. */

/** Instances: created once and changed over and over. */
export const instanceWriter =
  (company: Company): Writer =>
  (act) =>
    Effect.gen(function* () {
      const instance = fresh("instance")
      /** Later values are greater. */
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
