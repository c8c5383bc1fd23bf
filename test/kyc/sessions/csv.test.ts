/** Lists of sessions as CSV: every session once, no formula, no personal data, and no more in memory than a part. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { createInstance, createSession } from "../../support/client.ts"
import { type Company, companyOn, Partner } from "../../support/kyc/partner.ts"
import { idAt } from "../../support/kyc/session-ids.ts"
import { execute } from "../../support/postgres.ts"
import { suite } from "../../support/suite.ts"

const columns = [
  "id",
  "external_reference",
  "instance_id",
  "mode",
  "status",
  "expired",
  "created_at",
  "started_at",
  "completed_at",
  "expires_at",
  "flags",
  "review",
  "decided_at"
]
/** A line of these values, none of which has a quote. */
const lineOf = (...values: ReadonlyArray<unknown>) => `${values.map((value) => `"${value}"`).join(",")}\r\n`

const head = lineOf(...columns)

const newCompany = Effect.flatMap(Partner, ({ server }) => companyOn(server))

const csv = (company: Company, query: Record<string, string> = {}) =>
  company.asPartner(`/api/kyc/sessions.csv?${new URLSearchParams(query)}`)

/** The values of one column. None of the tests' values there has a quote or a comma. */
const column = (text: string, name: string) =>
  text
    .trimEnd()
    .split("\r\n")
    .slice(1)
    .map((line) => line.slice(1, -1).split('","')[columns.indexOf(name)])

suite(Partner.layer)("Sessions as CSV", (it) => {
  it.effect(
    "200: each session in a line, by key and by dashboard session, without what anybody entered",
    () =>
      Effect.gen(function* () {
        const company = yield* newCompany
        const done = yield* company.newSession({ externalReference: "done", metadata: { word: "SECRET" } })
        yield* company.progress(done, { status: "running", progress: { s_person: { name: "SECRET" } } })
        yield* company.complete(done, { result: { word: "SECRET" } })
        const late = yield* company.expiredSession({ mode: "dev" })
        const rows = yield* execute(
          company.server.databaseUrl,
          "select id, created_at, started_at, completed_at, expires_at from kyc_sessions where company_id = $1 order by created_at desc",
          [company.member.companyId]
        )
        const at = (value: unknown) => (value instanceof Date ? value.toISOString() : "")
        const line = (row: number, about: string) => {
          const { completed_at, created_at, expires_at, id, started_at } = rows[row] ?? {}
          const times = [created_at, started_at, completed_at, expires_at].map(at)
          const [reference, mode, status, expired, flags] = about.split(",")
          return lineOf(id, reference, company.instance.id, mode, status, expired, ...times, flags, "", "")
        }
        expect(rows.map(({ id }) => id)).toEqual([late.id, done.id])
        const whole =
          head +
          line(0, ",dev,created,true,") +
          line(1, "done,prod,completed,false,captcha_missing steps_missing")
        const answer = yield* csv(company)
        expect([answer.status, answer.text]).toEqual([200, whole])
        expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present")
        expect(answer.headers.get("content-disposition")).toBe('attachment; filename="sessions.csv"')
        expect((yield* company.asMember("GET", "/api/kyc/sessions.csv")).text).toBe(whole)
        expect(whole).not.toContain("SECRET")
      })
  )

  it.effect("Every value is quoted, and no cell begins like a formula, whatever separates cells", () =>
    Effect.gen(function* () {
      const company = yield* newCompany
      for (const [externalReference, written] of [
        ["=1+1", "'=1+1"],
        ["+1", "'+1"],
        ["-1", "'-1"],
        ["@SUM(A1)", "'@SUM(A1)"],
        ["＝1", "'＝1"],
        ["\t=1", "\t'=1"],
        ["\r=1", "\r'=1"],
        ["\n=1", "\n'=1"],
        [" =1", " '=1"],
        ["x;=1+1", "x;'=1+1"],
        ["x,=1,-1", "x,'=1,'-1"],
        ['x;"=1', `x;""'=1`],
        ["two\nlines", "two\nlines"],
        ["Ä 1=1-x@y", "Ä 1=1-x@y"]
      ] as const) {
        const { id } = yield* company.newSession({ externalReference })
        const { text } = yield* csv(company, { externalReference })
        expect(text.slice(head.length), externalReference).toMatch(
          `"${id}","${written}","${company.instance.id}",`
        )
      }
    })
  )

  it.effect("has every session once, in order, however many, and takes the filters of the list", () =>
    Effect.gen(function* () {
      const company = yield* newCompany
      const other = yield* createInstance(company.server, company.member)
      const first = yield* company.newSession()
      yield* execute(
        company.server.databaseUrl,
        `insert into kyc_sessions (id, instance_id, company_id, version_id, mode, external_reference, token_hash, expires_at, created_at)
         select ${idAt("created_at")}, instance_id, company_id, version_id, mode, 'n' || n,
           sha256(convert_to(id::text || n, 'UTF8')), expires_at, created_at + n / 3 * interval '1 ms'
         from kyc_sessions, generate_series(1, 2345) n where id = $1`,
        [first.id]
      )
      yield* createSession(company.server, company.key.token, other.id)
      const rows = yield* execute(
        company.server.databaseUrl,
        "select id from kyc_sessions where instance_id = $1 order by created_at, id",
        [company.instance.id]
      )
      const inOrder = rows.map(({ id }) => id)
      const filter = { instanceId: company.instance.id, order: "oldest" }
      expect(column((yield* csv(company, filter)).text, "id")).toEqual(inOrder)
      expect(column((yield* csv(company, { ...filter, order: "newest" })).text, "id")).toEqual(
        inOrder.toReversed()
      )
      expect(column((yield* csv(company)).text, "id")).toHaveLength(2_347)
      expect((yield* csv(company, { ...filter, status: "failed" })).text).toBe(head)
      const prefixed = column((yield* csv(company, { externalReferencePrefix: "n1" })).text, "id")
      expect(prefixed).toHaveLength(1 + 10 + 100 + 1_000)
    })
  )
})
