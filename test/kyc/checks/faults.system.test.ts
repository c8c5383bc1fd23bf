import { expect, it } from "@effect/vitest"
import { Context, Effect, type Redacted } from "effect"
import { WorkSignal } from "../../../src/work/signal-service.ts"
import { field, text } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { looked } from "../../support/kyc/checks.ts"
import { samples, upload } from "../../support/kyc/files.ts"
import { looker, waiting } from "../../support/kyc/looker.ts"
import { type Company, companyOn } from "../../support/kyc/partner.ts"
import { withPhotos } from "../../support/kyc/readings.ts"
import { execute } from "../../support/postgres.ts"
import { startServer } from "../../support/server.ts"

/** A completed session with a photo. */
const completed = (company: Company) =>
  Effect.gen(function* () {
    const session = yield* company.newSession()
    const file = text((yield* upload(company.server, session, samples.jpeg)).body, "file", "id")
    yield* company.complete(session)
    return { ...session, file }
  })

const checksOf = (company: Company, { id }: { readonly id: string }) =>
  Effect.map(
    company.asPartner(`/api/kyc/sessions/${id}`),
    ({ body }) =>
      field(body, "session", "checks") as ReadonlyArray<
        Readonly<Record<"kind" | "outcome" | "reason", string>>
      >
  )

const countOf = (databaseUrl: Redacted.Redacted, from: string) =>
  Effect.map(execute(databaseUrl, `select count(*)::int as count from ${from}`), ([row]) => row?.count)

const eventsIn = (databaseUrl: Redacted.Redacted) =>
  countOf(
    databaseUrl,
    "(select type from event_outbox union all select type from events) as e where type = 'kyc.checks.completed'"
  )

it.scopedLive("a photo that kills the process is looked at three times, and is then not checked", () =>
  Effect.gen(function* () {
    const { on, started } = yield* looker('process.kill(process.pid, "SIGKILL")')
    const server = yield* on(startServer())
    const company = yield* companyOn(server, withPhotos)
    const session = yield* completed(company)
    yield* looked(server, session)
    // Each try stops the process. On a busy machine, it may be stopped before it does anything.
    expect(started()).toBe(3)
    const checks = yield* checksOf(company, session)
    for (const kind of ["document.mrz", "document.barcode", "photo.quality", "photo.duplicate"]) {
      expect(checks.find((check) => check.kind === kind)).toMatchObject({
        outcome: "not_checked",
        reason: "Looking at the photo failed three times."
      })
    }
    // The session after it is looked at, too.
    const next = yield* completed(company)
    yield* looked(server, next)
    expect(started()).toBe(6)
  })
)

it.scopedLive("of a session that is redacted while its photo is looked at, nothing is stored", () =>
  Effect.gen(function* () {
    const { goOn, isAsked, on } = yield* looker(waiting)
    const server = yield* on(startServer())
    const company = yield* companyOn(server, withPhotos)
    const session = yield* completed(company)
    Context.get(server.services, WorkSignal).wake()
    yield* isAsked
    expect((yield* company.asMember("POST", `/api/kyc/sessions/${session.id}/redact`)).status).toBe(200)
    yield* goOn
    yield* eventually(
      "the job has ended",
      Effect.map(
        countOf(server.databaseUrl, "work_jobs where kind = 'kyc.session.checks'"),
        (left) => left === 0
      )
    )
    for (const table of ["kyc_checks", "kyc_photo_bands", "kyc_files", "work_poison"]) {
      expect([table, yield* countOf(server.databaseUrl, table)]).toEqual([table, 0])
    }
    expect(yield* eventsIn(server.databaseUrl)).toBe(0)
    expect(yield* checksOf(company, session)).toEqual([])
  })
)
