/** What becomes of the checks of a session when its photo kills the process, the service stops, or its data ends meanwhile. */
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Context, Effect, Option, type Redacted } from "effect"
import { Checks } from "../../../src/kyc/checks/service.ts"
import { checking } from "../../../src/kyc/checks/work.ts"
import { WorkSignal } from "../../../src/work/signal-service.ts"
import { field, text } from "../../support/client.ts"
import { withoutDatabase } from "../../support/database/outage.ts"
import { freshDatabase } from "../../support/database.ts"
import { eventually } from "../../support/eventually.ts"
import { looked } from "../../support/kyc/checks.ts"
import { filesBelow, samples, upload } from "../../support/kyc/files.ts"
import { looker, waiting } from "../../support/kyc/looker.ts"
import { type Company, companyOf, companyOn } from "../../support/kyc/partner.ts"
import { execute, temporaryFolder } from "../../support/postgres.ts"
import { startServer, startServerOn } from "../../support/server.ts"
import { withTimes } from "../../support/timing.ts"

/** A completed session with a photo. */
const completed = (company: Company) =>
  Effect.gen(function* () {
    const session = yield* company.newSession()
    const file = text((yield* upload(company.server, session, samples.jpeg)).body, "file", "id")
    yield* company.progress(session, {
      status: "running",
      progress: { s_document: { type: "passport", files: [{ id: file, side: "front" }] } }
    })
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

const companyIdOf = (company: Company) =>
  Effect.map(company.asMember("GET", "/api/auth/me"), ({ body }) => text(body, "company", "id"))

it.scopedLive("a photo that kills the process is looked at three times, and is then not checked", () =>
  Effect.gen(function* () {
    const { on, started } = yield* looker(`process.kill(process.pid, "SIGKILL")`)
    const server = yield* on(startServer())
    const company = yield* companyOn(server)
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
    yield* looked(server, yield* completed(company))
    expect(started()).toBe(6)
  })
)

it.scopedLive(
  "a photo that the process has not seen in time, without CPU time, is looked at again, however often",
  () =>
    Effect.gen(function* () {
      // It does not sleep, and gets no CPU time, as on a machine that has none for it.
      const blocked = `if (!existsSync(go)) process.kill(process.pid, "SIGSTOP")
      ${waiting}`
      const { goOn, on } = yield* looker(blocked)
      const server = yield* on(withTimes({ timeouts: { "kyc.look": 2_000 } })(startServer()))
      const company = yield* companyOn(server)
      const session = yield* completed(company)
      const payload = { id: session.id, company_id: yield* companyIdOf(company) }
      const run = (attempt: number) =>
        Effect.provide(checking.run({ id: "1", lane: "a/b", attempt, payload }), server.services)
      for (const attempt of [0, 2, 7]) {
        expect(yield* run(attempt)).toMatchObject({ outcome: { kind: "again", after: 30_000 } })
      }
      expect(yield* checksOf(company, session)).toEqual([])
      yield* goOn
      yield* eventually(
        "the photo is seen",
        Effect.map(run(8), ({ outcome }) => outcome.kind === "done")
      )
    })
)

it.scopedLive("a photo at which the process hangs, asleep, is not looked at for ever", () =>
  Effect.gen(function* () {
    const { on } = yield* looker("Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)")
    const server = yield* on(withTimes({ timeouts: { "kyc.look": 3_000 } })(startServer()))
    const company = yield* companyOn(server)
    const session = yield* completed(company)
    yield* looked(server, session)
    const checks = yield* checksOf(company, session)
    expect(checks.find(({ kind }) => kind === "photo.quality")).toMatchObject({
      outcome: "not_checked",
      reason: "Looking at the photo failed three times."
    })
  })
)

it.scopedLive("a service that stops while a photo is looked at gives the job to the next one", () =>
  Effect.gen(function* () {
    const databaseUrl = yield* freshDatabase
    const { asked, goOn, isAsked, on } = yield* looker(waiting)
    const before = yield* Effect.scoped(
      Effect.gen(function* () {
        const server = yield* on(startServerOn(databaseUrl))
        const company = yield* companyOn(server)
        const session = yield* completed(company)
        Context.get(server.services, WorkSignal).wake()
        yield* isAsked
        return { company, session }
      })
    )
    expect(yield* countOf(databaseUrl, "kyc_checks")).toBe(0)
    expect(yield* eventsIn(databaseUrl)).toBe(0)
    yield* goOn
    const server = yield* on(startServerOn(databaseUrl))
    const { company, session } = before
    yield* looked(server, session)
    expect(asked()).toBe("xx")
    const checks = yield* checksOf(companyOf(server, company.member, company.key, company.instance), session)
    expect(checks.filter(({ kind }) => kind === "photo.quality")).toHaveLength(1)
    expect(yield* eventsIn(databaseUrl)).toBe(1)
    expect(yield* countOf(databaseUrl, "kyc_photo_bands")).toBe(32)
  })
)

it.scopedLive("of a session that is redacted while its photo is looked at, nothing is stored", () =>
  Effect.gen(function* () {
    const { goOn, isAsked, on } = yield* looker(waiting)
    const server = yield* on(startServer())
    const company = yield* companyOn(server)
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

it.scopedLive(
  "while the database is away, or the store does not give the photo, it is tried again later",
  () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const { goOn, on } = yield* looker(waiting)
      yield* goOn
      const server = yield* on(startServer({ DATA_DIR: dataDir }))
      const company = yield* companyOn(server)
      const session = yield* completed(company)
      const payload = { id: session.id, company_id: yield* companyIdOf(company) }
      /** `attempt`: how often it has run before. */
      const run = (attempt: number) =>
        Effect.provide(checking.run({ id: "1", lane: "a/b", attempt, payload }), server.services)
      const again = { kind: "again", after: 30_000 }
      expect(yield* withoutDatabase(server, run(7))).toMatchObject({ outcome: again })
      yield* eventually(
        "the database answers again",
        Effect.map(company.asPartner("/api/kyc/sessions"), ({ status }) => status === 200)
      )
      expect(yield* run(0)).toMatchObject({ outcome: { kind: "done" } })

      const stored = filesBelow(join(dataDir, "files")).filter((path) => path.includes(session.file))
      expect(stored.length).toBeGreaterThan(0)
      yield* Effect.promise(() => Promise.all(stored.map((path) => rm(path))))
      for (const attempt of [0, 1]) expect(yield* run(attempt)).toMatchObject({ outcome: again })
      expect(yield* run(2)).toMatchObject({ outcome: { kind: "done" } })
      const { make } = Context.get(server.services, Checks)
      expect(Option.getOrThrow(yield* make(payload.company_id, payload.id))).toMatchObject({
        lacksFiles: true
      })
    })
)
