/** How many sessions of an instance came from one browser (docs/checks.md#signals). */
import { expect } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Checks } from "../../../src/kyc/checks/service.ts"
import { field, text } from "../../support/client.ts"
import { looked } from "../../support/kyc/checks.ts"
import { samples, upload } from "../../support/kyc/files.ts"
import { type Company, companyOn } from "../../support/kyc/partner.ts"
import { execute } from "../../support/postgres.ts"
import { startServer } from "../../support/server.ts"
import { suite } from "../../support/suite.ts"

const workflow = { v: 1, steps: [{ id: "selfie", type: "selfie" }] }
const given = { workflow, config: { v: 1, checks: { sameBrowser: true } } }

class Server extends Context.Tag("Server")<Server, Effect.Effect.Success<ReturnType<typeof startServer>>>() {
  static readonly layer = Layer.scoped(Server, Effect.orDie(startServer({ KYC_DEV_MODE: "allow" })))
}

const newMark = () => crypto.getRandomValues(new Uint8Array(16)).toHex()

/** A session that was completed by the browser with this mark. */
const completed = (company: Company, browserMark: string | undefined, fields = {}) =>
  Effect.gen(function* () {
    const session = yield* company.newSession(fields)
    const file = text((yield* upload(company.server, session, samples.png)).body, "file", "id")
    yield* company.progress(session, { progress: { s_selfie: { files: [{ id: file }] } }, status: "running" })
    expect((yield* company.complete(session, { browserMark })).status).toBe(200)
    return session
  })

/** What is said of the browser. */
const seen = (company: Company, browserMark: string | undefined, fields = {}) =>
  Effect.gen(function* () {
    const session = yield* completed(company, browserMark, fields)
    yield* looked(yield* Server, session)
    const { body } = yield* company.asPartner(`/api/kyc/sessions/${session.id}`)
    const signals = [field(body, "session", "checks")]
      .flat()
      .find((check) => Object(check).kind === "session.signals")
    return text(signals, "detail", "browser")
  })

const others = (count: string) => `${count} of this instance came from the same browser in the last 30 days.`
const none = others("No other session")
const notLookedAt = "Whether the browser was used in other sessions was not looked at."

const marksOf = (sessionId: string) =>
  Effect.flatMap(Server, ({ databaseUrl }) =>
    execute(databaseUrl, "select encode(mark, 'hex') as mark from kyc_browser_marks where session_id = $1", [
      sessionId
    ])
  )

/** Sessions are looked at, on a machine that may be busy. */
const patience = 300_000

suite(Server.layer)("Sessions from one browser", (it) => {
  it.effect(
    "are counted within instance and mode, and only if the instance asks for it",
    () =>
      Effect.gen(function* () {
        const server = yield* Server
        const company = yield* companyOn(server, given)
        const mark = newMark()
        expect(yield* seen(company, mark)).toBe(none)
        expect(yield* seen(company, mark)).toBe(others("1 other session"))
        // Also a session without a file, which has no checks itself.
        const bare = yield* company.newSession()
        expect((yield* company.complete(bare, { browserMark: mark })).status).toBe(200)
        expect(yield* seen(company, mark)).toBe(others("3 other sessions"))
        expect(yield* seen(company, newMark())).toBe(none)
        expect(yield* seen(company, undefined)).toBe(notLookedAt)
        expect(yield* seen(company, mark, { mode: "dev" })).toBe(none)
        expect(yield* seen(yield* companyOn(server, given), mark)).toBe(none)

        for (const checks of [{}, { photos: false, sameBrowser: true }]) {
          const without = yield* companyOn(server, { ...given, config: { v: 1, checks } })
          expect(yield* marksOf((yield* completed(without, mark)).id)).toEqual([])
        }
      }),
    patience
  )

  it.effect(
    "are told apart by a hash, which ends with the redaction or after 30 days; the export names it",
    () =>
      Effect.gen(function* () {
        const server = yield* Server
        const company = yield* companyOn(server, given)
        const mark = newMark()
        const [first, second, third] = [
          yield* completed(company, mark),
          yield* completed(company, mark),
          yield* completed(company, mark)
        ]
        const stored = yield* marksOf(first.id)
        expect(stored).toEqual([{ mark: expect.stringMatching(/^[0-9a-f]{64}$/) }])
        expect(stored).toEqual(yield* marksOf(second.id))
        const readable = JSON.stringify((yield* company.asPartner(`/api/kyc/sessions/${first.id}`)).body)
        expect(readable).not.toContain(mark)
        const exported = yield* company.asMember("GET", `/api/kyc/sessions/${first.id}/export`)
        expect(exported.text).toMatch(/"browser_mark_stored_at": ?"\d{4}-/)

        expect((yield* company.asMember("POST", `/api/kyc/sessions/${first.id}/redact`)).status).toBe(200)
        expect(yield* marksOf(first.id)).toEqual([])
        yield* execute(
          server.databaseUrl,
          "update kyc_browser_marks set created_at = now() - interval '31 days' where session_id = $1",
          [second.id]
        )
        yield* Context.get(server.services, Checks).forgetMarks
        expect(yield* marksOf(second.id)).toEqual([])
        expect(yield* marksOf(third.id)).toHaveLength(1)
      })
  )
})
