/** What the server finds at completion: whoever holds the link need not use the page, which asks, refuses and stops. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import type { Identity } from "../../../src/kyc/dedup/identity-model.ts"
import { defaultWorkflow } from "../../../src/kyc/instances/default-workflow-model.ts"
import { ownConsent } from "../../../src/kyc/instances/own-consent-model.ts"
import type { Workflow } from "../../../src/kyc/instances/workflow-model.ts"
import { stepResults } from "../../../src/kyc/sessions/step-results-model.ts"
import { keyHash } from "../../../src/web/kyc/dedup/duplicate.ts"
import { createInstance, createSession, field, send, type TestSession, text } from "../../support/client.ts"
import { check, newKeyHash } from "../../support/kyc/dedup.ts"
import { samples, sha256, upload } from "../../support/kyc/files.ts"
import { companyOn, Partner, unknownId } from "../../support/kyc/partner.ts"
import { opened, reviewerOf, reviewingCompany } from "../../support/kyc/reviews.ts"
import { execute } from "../../support/postgres.ts"
import type { RunningServer } from "../../support/server.ts"
import { suite } from "../../support/suite.ts"

type Json = Readonly<Record<string, unknown>>

/** The id of a file that the session really has. */
const aFile = Symbol("file")

const steps = {
  consent: { id: "consent", type: "consent" },
  items: {
    id: "items",
    type: "consent",
    items: [
      { id: "a", text: { en: "A" }, required: true },
      { id: "b", text: { en: "B" } }
    ]
  },
  person: {
    id: "person",
    type: "form",
    fields: [
      { id: "name", type: "text", required: true, min: 2, max: 10 },
      { id: "born", type: "date", minAge: 18, maxAge: 90 },
      { id: "country", type: "country", countries: ["EST", "FRA"] },
      { id: "plan", type: "select", options: [{ value: "free" }, { value: "paid" }] }
    ]
  },
  document: { id: "document", type: "document", documents: ["passport", "id_card"], countries: ["EST"] },
  selfie: { id: "selfie", type: "selfie" },
  camera: { id: "selfie", type: "selfie", skipIfNoCamera: true },
  proof: { id: "proof", type: "upload" }
}

const hashOf = (words: string) => sha256(Buffer.from(words))
const own = { id: "terms", textSha256: hashOf(ownConsent.en) }
const circumstances = {
  now: new Date(),
  dedup: { strategy: "document", scope: "", endsSession: false },
  hash: (text: string) => text
} as const

const passport = { type: "passport", country: "EST", number: "AB123", expiry: "2999-01-01" }
const named = { name: "Ada" }
const front = [{ id: aFile, side: "front" }]

/** A step, an answer to it, whether it is still missing, and what it breaks. */
const table: ReadonlyArray<readonly [string, Json, unknown, "missing" | "there", ...ReadonlyArray<string>]> =
  [
    ["nothing", steps.person, undefined, "missing"],
    ["null", steps.person, null, "missing"],
    ["a text", steps.person, "x", "missing"],
    ["a list", steps.person, [], "missing"],
    ["an empty object", steps.person, {}, "missing"],
    ["skipped", steps.person, { skipped: true }, "missing"],
    ["skipped, with an answer", steps.person, { skipped: true, ...named }, "missing", "ANSWER_INVALID"],
    ["spaces around a country", steps.person, { ...named, country: "FRA " }, "there", "ANSWER_INVALID"],
    ["a list for a country", steps.person, { ...named, country: ["PRK"] }, "there", "ANSWER_INVALID"],
    [
      "no option with spaces",
      { ...steps.person, fields: [{ id: "plan", type: "select", options: [{ value: "yes " }] }] },
      { plan: "yes" },
      "there"
    ],
    [
      "an optional field that every object has",
      { ...steps.person, fields: [{ id: "constructor", type: "text" }] },
      {},
      "there"
    ],
    ["an empty required field", steps.person, { name: " " }, "missing", "ANSWER_INVALID"],
    ["a required field that is no text", steps.person, { name: 1 }, "missing", "ANSWER_INVALID"],
    ["its required fields", steps.person, named, "there"],
    ["a text too short", steps.person, { name: "A" }, "there", "ANSWER_INVALID"],
    ["a text too long", steps.person, { name: "A".repeat(11) }, "there", "ANSWER_INVALID"],
    ["somebody of age", steps.person, { ...named, born: "1990-02-28" }, "there"],
    ["a child", steps.person, { ...named, born: "2020-01-01" }, "there", "AGE_TOO_LOW"],
    ["somebody not born yet", steps.person, { ...named, born: "2999-01-01" }, "there", "ANSWER_INVALID"],
    ["somebody born long ago", steps.person, { ...named, born: "1900-01-01" }, "there", "AGE_TOO_HIGH"],
    ["a day that does not exist", steps.person, { ...named, born: "1990-02-30" }, "there", "ANSWER_INVALID"],
    ["a country that was offered", steps.person, { ...named, country: "FRA" }, "there"],
    ["another country", steps.person, { ...named, country: "PRK" }, "there", "COUNTRY_NOT_ALLOWED"],
    ["no country", steps.person, { ...named, country: "ZZZ" }, "there", "ANSWER_INVALID"],
    ["an option", steps.person, { ...named, plan: "free" }, "there"],
    ["no option", steps.person, { ...named, plan: "gold" }, "there", "ANSWER_INVALID"],
    ["consent to nothing", steps.consent, { items: [] }, "missing"],
    ["consent", steps.consent, { items: [own] }, "there"],
    ["consent without its words", steps.consent, { items: [{ id: "terms" }] }, "missing"],
    ["consent to other words", steps.consent, { items: [{ ...own, textSha256: hashOf("No") }] }, "missing"],
    ["consent that says no", steps.consent, { items: [{ ...own, accepted: false }] }, "missing"],
    [
      "consent to what need not be",
      steps.items,
      { items: [{ id: "b", textSha256: hashOf("B") }] },
      "missing"
    ],
    ["consent to what must be", steps.items, { items: [{ id: "a", textSha256: hashOf("A") }] }, "there"],
    ["a document without photo", steps.document, passport, "missing"],
    ["no photo in its list", steps.document, { ...passport, files: [] }, "missing"],
    ["a photo of nowhere", steps.document, { ...passport, files: [{ id: unknownId }] }, "missing"],
    [
      "one photo of its own and one of nowhere",
      steps.document,
      { ...passport, files: [...front, { id: unknownId }] },
      "missing"
    ],
    ["a photo that is no id", steps.document, { ...passport, files: [{ id: "x" }] }, "missing"],
    [
      "a photo of another type",
      steps.document,
      { ...passport, files: [{ id: aFile, document: "id_card" }] },
      "missing"
    ],
    ["all of a passport", steps.document, { ...passport, files: front }, "there"],
    ["one side of a card", steps.document, { ...passport, type: "id_card", files: front }, "missing"],
    [
      "the same side twice",
      steps.document,
      { ...passport, type: "id_card", files: [...front, ...front] },
      "missing"
    ],
    ["no number", steps.document, { ...passport, number: "", files: front }, "missing"],
    [
      "the end of a number",
      steps.document,
      { ...passport, number: undefined, last3: "123", files: front },
      "there"
    ],
    ["no expiry", steps.document, { ...passport, expiry: undefined, files: front }, "missing"],
    [
      "an expired document",
      steps.document,
      { ...passport, expiry: "1998-01-01", files: front },
      "there",
      "DOCUMENT_EXPIRED"
    ],
    ["no day", steps.document, { ...passport, expiry: "soon", files: front }, "there", "ANSWER_INVALID"],
    [
      "another country's document",
      steps.document,
      { ...passport, country: "FRA", files: front },
      "there",
      "COUNTRY_NOT_ALLOWED"
    ],
    [
      "another type",
      steps.document,
      { ...passport, type: "residence_permit", files: front },
      "missing",
      "DOCUMENT_NOT_ALLOWED"
    ],
    [
      "no zone, where it must be",
      { ...steps.document, mrz: "required" },
      { ...passport, files: front },
      "missing"
    ],
    ["no photo of the face", steps.selfie, { files: [] }, "missing"],
    ["a photo of the face", steps.selfie, { files: front }, "there"],
    ["a selfie skipped", steps.selfie, { skipped: true }, "missing"],
    ["a selfie skipped where it may be", steps.camera, { skipped: true }, "there"],
    ["a proof without file", steps.proof, {}, "missing"],
    ["a proof", steps.proof, { files: front }, "there"],
    ["two files for one", steps.proof, { files: [...front, { id: unknownId }] }, "missing", "ANSWER_INVALID"],
    ["an optional step skipped", { ...steps.proof, optional: true }, { skipped: true }, "there"],
    [
      "an optional step's wrong answer",
      { ...steps.person, optional: true },
      { name: "A" },
      "there",
      "ANSWER_INVALID"
    ]
  ]

const withFile = (value: unknown, id: string): unknown => {
  if (value === aFile) return id
  if (Array.isArray(value)) return value.map((one) => withFile(one, id))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withFile(inner, id)]))
}

const read = ({ id }: Pick<TestSession, "id">) =>
  Effect.flatMap(Partner, ({ asPartner }) =>
    Effect.map(asPartner(`/api/kyc/sessions/${id}`), ({ body }) => field(body, "session"))
  )

/** A session of a new instance. */
const sessionOf = (instance: Json) =>
  Effect.gen(function* () {
    const { key, member, server } = yield* Partner
    return yield* createSession(server, key.token, (yield* createInstance(server, member, instance)).id)
  })

const uploaded = (session: TestSession) =>
  Effect.gen(function* () {
    const { body } = yield* upload((yield* Partner).server, session, samples.jpeg)
    return text(body, "file", "id")
  })

/** What completion finds, in one statement. */
const judged = (
  { databaseUrl }: Pick<RunningServer, "databaseUrl">,
  given: ReadonlyArray<{ readonly workflow: Workflow; readonly results: unknown }>,
  sessionId: string
) =>
  execute(
    databaseUrl,
    `select c.missing, c.failed from jsonb_array_elements($1::jsonb) with ordinality as given (one, place)
       cross join lateral kyc_completion(kyc_completion_rules(one -> 'workflow'), one -> 'results', $2) as c
     order by place`,
    [JSON.stringify(given.map(({ results, workflow }) => ({ results, workflow }))), sessionId]
  )

const noCaptcha = { captcha: { required: false } }

suite(Partner.layer)("Completion (contract.md#failed-rules)", (it) => {
  it.effect("what each answer amounts to", () =>
    Effect.gen(function* () {
      const { newSession, server } = yield* Partner
      const session = yield* newSession()
      const id = yield* uploaded(session)
      const given = table.map(([, step, answer]) => {
        // Of the form that an instance's workflow has.
        const workflow = { steps: [step] } as unknown as Workflow
        const progress = answer === undefined ? {} : { [`s_${step.id}`]: withFile(answer, id) }
        return { workflow, results: stepResults(workflow, progress, circumstances) }
      })
      const found = yield* judged(server, given, session.id)
      expect(table.map(([name], place) => [name, found[place]])).toEqual(
        table.map(([name, { id: step }, , standing, ...failed]) => [
          name,
          { missing: standing === "missing" ? [step] : [], failed }
        ])
      )
    })
  )

  it.effect("before completion and after it", () =>
    Effect.gen(function* () {
      const { complete, progress } = yield* Partner
      for (const [answer, missingSteps, flags, failed_rules] of [
        [undefined, ["person"], ["steps_missing"], []],
        [{}, ["person"], ["steps_missing"], []],
        [named, [], [], []],
        [{ ...named, country: "PRK" }, [], ["rule_failed"], ["COUNTRY_NOT_ALLOWED"]]
      ] as const) {
        const session = yield* sessionOf({ config: noCaptcha, workflow: { steps: [steps.person] } })
        if (answer !== undefined) yield* progress(session, { progress: { s_person: answer } })
        const assurance = { requiredStepsPresent: missingSteps.length === 0, missingSteps }
        expect(yield* read(session)).toMatchObject({ assurance, flags: [], failed_rules: [] })
        yield* complete(session)
        expect(yield* read(session)).toMatchObject({ assurance, flags, failed_rules })
      }
    })
  )

  it.effect("a workflow without steps is the page's own", () =>
    Effect.gen(function* () {
      const { complete, server } = yield* Partner
      for (const workflow of [{}, { steps: [] }]) {
        const session = yield* sessionOf({ config: noCaptcha, workflow })
        yield* complete(session)
        expect(yield* read(session)).toMatchObject({
          flags: ["steps_missing"],
          assurance: { requiredStepsPresent: false, missingSteps: ["consent", "document", "person"] }
        })
      }
      const rules = (workflow: object) =>
        execute(server.databaseUrl, "select kyc_completion_rules($1) as rules", [JSON.stringify(workflow)])
      expect(yield* rules({})).toEqual(yield* rules(defaultWorkflow))
    })
  )

  it.effect("the page's own workflow has a captcha", () =>
    Effect.gen(function* () {
      const session = yield* sessionOf({ workflow: {} })
      yield* (yield* Partner).complete(session)
      expect(yield* read(session)).toMatchObject({ flags: ["captcha_missing", "steps_missing"] })
    })
  )

  it.effect("rules that fail and rules that skip, in the list, the read, the event and the review", () =>
    Effect.gen(function* () {
      const company = yield* Partner
      const rule = (after: string, path: string, op: string, value: unknown, then: object) => ({
        after,
        if: { path, op, value },
        then
      })
      const session = yield* sessionOf({
        config: { ...noCaptcha, review: { mode: "manual" } },
        workflow: {
          steps: [
            { id: "person", type: "form", fields: [{ id: "country", type: "country" }] },
            { id: "job", type: "form", fields: [{ id: "name", type: "text", required: true }] },
            { id: "other", type: "form", fields: [] }
          ],
          rules: [
            rule("person", "person.country", "in", ["PRK"], { fail: "COUNTRY_NOT_SUPPORTED" }),
            rule("person", "job.name", "exists", false, { skip: ["job"] }),
            rule("job", "person.country", "exists", true, { fail: "NEVER" }),
            rule("person", "person.country", "ne", "EST", { fail: "NOT_HERE" })
          ]
        }
      })
      // The first answer is replaced: the last one counts.
      for (const country of ["EST", "PRK"]) {
        yield* company.progress(session, { progress: { s_person: { country } } })
      }
      yield* company.complete(session)
      const failed = {
        flags: ["steps_missing", "rule_failed"],
        failed_rules: ["COUNTRY_NOT_SUPPORTED", "NOT_HERE"]
      }
      expect(yield* read(session)).toMatchObject({ ...failed, assurance: { missingSteps: ["other"] } })
      const listed = yield* company.asPartner("/api/kyc/sessions?limit=1")
      expect(field(listed.body, "sessions", 0)).toMatchObject({ id: session.id, ...failed })
      const reviewed = yield* company.asMember("GET", `/api/kyc/sessions/${session.id}/review`)
      expect(field(reviewed.body, "review")).toMatchObject(failed)
      const [event] = yield* execute(
        company.server.databaseUrl,
        `select data from event_outbox where type = 'kyc.session.completed' and data ->> 'id' = $1
         union all select data from events where type = 'kyc.session.completed' and data ->> 'id' = $1`,
        [session.id]
      )
      expect(event?.data).toMatchObject({ id: session.id, failed_rules: failed.failed_rules })
    })
  )

  it.effect("a match that the config ends sessions for; other events name no rule", () =>
    Effect.gen(function* () {
      const { server } = yield* Partner
      const config = (onMatch: string) => ({ config: { ...noCaptcha, dedup: { onMatch } } })
      for (const [onMatch, codes] of [
        ["block", ["DUPLICATE_IDENTITY"]],
        ["review", []]
      ] as const) {
        const company = yield* companyOn(server, config(onMatch))
        const keyHash = newKeyHash()
        const [first, second] = [yield* company.newSession(), yield* company.newSession()]
        for (const session of [first, second]) yield* check(company, session, keyHash)
        for (const session of [first, second]) yield* company.complete(session)
        const rulesOf = ({ id }: TestSession) =>
          Effect.map(company.asPartner(`/api/kyc/sessions/${id}`), ({ body }) =>
            field(body, "session", "failed_rules")
          )
        expect(yield* rulesOf(first)).toEqual([])
        expect(yield* rulesOf(second)).toEqual(codes)
        const events = yield* execute(
          server.databaseUrl,
          `select data from event_outbox where data ->> 'id' = $1
           union all select data from events where data ->> 'id' = $1`,
          [first.id]
        )
        expect(events.every(({ data }) => !JSON.stringify(data).includes("failed_rules"))).toBe(true)
      }
    })
  )

  it.effect("a document or person that nobody has compared, where a match ends the session", () =>
    Effect.gen(function* () {
      const { server } = yield* Partner
      const block = { onMatch: "block" }
      const fields = ["givenName", "familyName", "dateOfBirth", "nationality"].map((id) => ({
        id,
        type: "text"
      }))
      const form = { id: "person", type: "form", fields }
      const ada = { givenName: "Ada", familyName: "Berg", dateOfBirth: "1990-02-28", nationality: "EST" }
      const pass = { type: "passport", country: "EST", number: "AB 123" }
      const missed = ["DUPLICATE_NOT_CHECKED"]
      const compared = Effect.fnUntraced(function* (
        dedup: Json,
        step: Json & { readonly id: string },
        answer: Json,
        sent: unknown,
        checked: ReadonlyArray<Identity>,
        mode = "prod"
      ) {
        const company = yield* companyOn(server, {
          config: { ...noCaptcha, dedup: { ...dedup, scope: "shop" } },
          workflow: { steps: [{ ...step, optional: true }] }
        })
        const session = yield* company.newSession({ mode })
        for (const identity of checked) yield* check(company, session, keyHash("shop", identity))
        yield* company.progress(session, { progress: { [`s_${step.id}`]: answer } })
        yield* company.complete(session, { result: sent })
        const { body } = yield* company.asPartner(`/api/kyc/sessions/${session.id}`)
        return field(body, "session", "failed_rules")
      })
      const hidden = { type: "passport", country: "EST", last3: "123", expiry: "2999-01-01" }
      const result = { document: { ...pass, expiry: "2999-01-01" } }
      const same = { kind: "document", ...pass, number: "ab-123" } as const
      const another = { kind: "document", ...pass, number: "X" } as const
      const person = { kind: "person", ...ada } as const
      const { document } = steps
      for (const [expected, found] of [
        [[], yield* compared(block, document, hidden, result, [same])],
        [missed, yield* compared(block, document, hidden, result, [])],
        [missed, yield* compared(block, document, hidden, result, [another])],
        // The result must say which document it is.
        [missed, yield* compared(block, document, hidden, {}, [same])],
        [[], yield* compared(block, document, { skipped: true }, {}, [])],
        [[], yield* compared(block, { ...document, dedup: false }, hidden, result, [])],
        [[], yield* compared({ ...block, enabled: false }, document, hidden, result, [])],
        [
          missed,
          yield* compared({ ...block, enabled: false }, { ...document, dedup: true }, hidden, result, [])
        ],
        [[], yield* compared({ onMatch: "review" }, document, hidden, result, [])],
        [[], yield* compared(block, document, hidden, result, [], "dev")],
        [[], yield* compared(block, form, ada, { person: ada }, [])],
        [missed, yield* compared({ ...block, strategy: "person" }, form, ada, { person: ada }, [])],
        [[], yield* compared({ ...block, strategy: "person" }, form, ada, { person: ada }, [person])],
        [[], yield* compared({ ...block, strategy: "person" }, document, hidden, result, [])]
      ] as const) {
        expect(found).toEqual(expected)
      }
    })
  )

  it.effect("what the result says is judged, too, and compared with the answers", () =>
    Effect.gen(function* () {
      const { complete, progress } = yield* Partner
      const workflow = {
        steps: [steps.person, { ...steps.document, optional: true }],
        rules: [
          {
            after: "person",
            if: { path: "person.country", op: "eq", value: "FRA" },
            // biome-ignore lint/suspicious/noThenProperty: the word of the format; nothing awaits it.
            then: { fail: "NOT_FRANCE" }
          }
        ]
      }
      const answer = { ...named, born: "1990-02-28", country: "EST" }
      for (const [result, codes] of [
        [{ person: answer }, []],
        [{ person: { ...answer, more: "x" }, document: { number: null } }, []],
        [{ outcome: "submitted" }, []],
        [{ person: { ...answer, name: "Eve" } }, ["ANSWERS_DIFFER"]],
        [{ person: { ...answer, born: "2020-01-01" } }, ["AGE_TOO_LOW", "ANSWERS_DIFFER"]],
        [{ person: { country: "FRA" } }, ["NOT_FRANCE", "ANSWERS_DIFFER"]],
        [{ document: { country: "PRK", number: "ZZ1" } }, ["COUNTRY_NOT_ALLOWED", "ANSWERS_DIFFER"]],
        // At the places of other forms and documents, too.
        [{ forms: { person: { ...answer, name: "Eve" } } }, ["ANSWERS_DIFFER"]],
        [{ documents: { document: { number: "ZZ1" } } }, ["ANSWERS_DIFFER"]],
        [{ person: answer, forms: { person: { ...answer, name: "Eve" } } }, ["ANSWER_INVALID"]],
        [{ person: [answer, { ...answer, name: "Eve" }] }, ["ANSWER_INVALID"]]
      ] as const) {
        const session = yield* sessionOf({ config: noCaptcha, workflow })
        const card = { type: "id_card", country: "EST", last3: "123" }
        yield* progress(session, { progress: { s_person: answer, s_document: card } })
        yield* complete(session, { result })
        expect([result, field(yield* read(session), "failed_rules")]).toEqual([result, codes])
      }
    })
  )

  it.effect(
    "a fail rule after an optional step that was left out, and one that only spaces would escape",
    () =>
      Effect.gen(function* () {
        const { complete, progress } = yield* Partner
        const rule = (after: string, then: object) => ({
          after,
          if: { path: "person.country", op: "eq", value: "FRA" },
          then
        })
        const session = yield* sessionOf({
          config: noCaptcha,
          workflow: {
            steps: [steps.person, { ...steps.proof, optional: true }],
            rules: [rule("proof", { fail: "NOT_FRANCE" })]
          }
        })
        yield* progress(session, { progress: { s_person: { ...named, country: " FRA" } } })
        yield* complete(session)
        expect(yield* read(session)).toMatchObject({ failed_rules: ["NOT_FRANCE", "ANSWER_INVALID"] })
      })
  )

  it.effect("a fail rule after a step that no answer belongs to applies at the end", () =>
    Effect.gen(function* () {
      const { complete, progress } = yield* Partner
      for (const type of ["review", "captcha"]) {
        for (const optional of [false, true]) {
          const session = yield* sessionOf({
            config: noCaptcha,
            workflow: {
              steps: [steps.person, { id: "last", type, optional }],
              rules: [
                {
                  after: "last",
                  if: { path: "person.country", op: "eq", value: "FRA" },
                  // biome-ignore lint/suspicious/noThenProperty: the word of the format; nothing awaits it.
                  then: { fail: "NOT_FRANCE" }
                }
              ]
            }
          })
          yield* progress(session, { progress: { s_person: { ...named, country: "FRA" } } })
          yield* complete(session)
          expect(yield* read(session)).toMatchObject({ failed_rules: ["NOT_FRANCE"] })
        }
      }
    })
  )

  it.effect("a PDF is no photo of a document or selfie", () =>
    Effect.gen(function* () {
      const { complete, progress, server } = yield* Partner
      for (const [sample, missingSteps] of [
        [samples.pdf, ["document", "selfie"]],
        [samples.jpeg, []]
      ] as const) {
        const session = yield* sessionOf({
          config: noCaptcha,
          workflow: { steps: [steps.document, steps.selfie, steps.proof] }
        })
        const file = Effect.map(upload(server, session, sample), ({ body }) => text(body, "file", "id"))
        const [one, two, three] = [yield* file, yield* file, yield* file]
        yield* progress(session, {
          progress: {
            s_document: { ...passport, files: [{ id: one, side: "front" }] },
            s_selfie: { files: [{ id: two }] },
            s_proof: { files: [{ id: three }] }
          }
        })
        yield* complete(session)
        expect(yield* read(session)).toMatchObject({ assurance: { missingSteps } })
      }
    })
  )

  it.effect("a session that fails or is cancelled keeps nothing that says something about the person", () =>
    Effect.gen(function* () {
      const { asPartner, key, progress, server } = yield* Partner
      const rule = {
        after: "person",
        if: { path: "person.country", op: "eq", value: "PRK" },
        // biome-ignore lint/suspicious/noThenProperty: the word of the format; nothing awaits it.
        then: { skip: ["proof"] }
      }
      const answer = { s_person: { ...named, country: "PRK" } }
      for (const end of ["failed", "cancelled", "by the partner"] as const) {
        const session = yield* sessionOf({
          workflow: { steps: [steps.person, steps.proof, steps.document], rules: [rule] }
        })
        const results = Effect.map(
          execute(server.databaseUrl, "select step_results from kyc_sessions where id = $1", [session.id]),
          ([row]) => row?.step_results
        )
        yield* progress(session, { progress: answer })
        expect(yield* results).toMatchObject({
          person: { codes: ["COUNTRY_NOT_ALLOWED"], holds: [0], fields: {} }
        })
        if (end === "by the partner") {
          yield* send(server, "POST", `/api/kyc/sessions/${session.id}/cancel`, {
            headers: { "x-api-key": key.token }
          })
        } else yield* progress(session, { status: end })
        expect(yield* results).toEqual({})
        expect(field((yield* asPartner(`/api/kyc/sessions/${session.id}`)).body, "session")).toMatchObject({
          assurance: { missingSteps: ["document"] }
        })
      }
    })
  )

  it.effect("a consent has the time of its last answer, another step that of its first whole one", () =>
    Effect.gen(function* () {
      const { progress, server } = yield* Partner
      const session = yield* sessionOf({ workflow: { steps: [steps.items, steps.person] } })
      const seconds = Effect.map(
        execute(server.databaseUrl, "select step_seconds from kyc_sessions where id = $1", [session.id]),
        ([row]) => row?.step_seconds
      )
      const agreed = { items: [{ id: "a", textSha256: hashOf("A") }] }
      yield* progress(session, { progress: { s_items: agreed, s_person: {} } })
      expect(yield* seconds).toEqual({ items: expect.any(Number) })
      yield* progress(session, { progress: { s_person: named } })
      yield* execute(
        server.databaseUrl,
        `update kyc_sessions set step_seconds = '{"items": -5, "person": -5}' where id = $1`,
        [session.id]
      )
      yield* progress(session, { progress: { s_items: agreed, s_person: named } })
      const later = yield* seconds
      expect(later).toEqual({ items: expect.any(Number), person: -5 })
      expect(Number(field(later, "items"))).toBeGreaterThanOrEqual(0)
      // Nothing that was said before counts any more.
      yield* progress(session, { progress: { s_items: { items: [] } } })
      expect(yield* seconds).toEqual({ person: -5 })
    })
  )

  it.effect("a rule about a missing answer is judged by the answers, and not by the result", () =>
    Effect.gen(function* () {
      const { complete, progress } = yield* Partner
      for (const [answer, codes] of [
        [{ skipped: true }, ["NO_SELFIE"]],
        [undefined, []]
      ] as const) {
        const session = yield* sessionOf({
          config: noCaptcha,
          workflow: {
            steps: [steps.camera, steps.person],
            rules: [
              {
                after: "person",
                if: { path: "selfie.files", op: "exists", value: false },
                // biome-ignore lint/suspicious/noThenProperty: the word of the format; nothing awaits it.
                then: { fail: "NO_SELFIE" }
              }
            ]
          }
        })
        const files = [{ id: yield* uploaded(session) }]
        yield* progress(session, { progress: { s_selfie: answer ?? { files }, s_person: named } })
        yield* complete(session, { result: { person: named, selfie: { files } } })
        expect(yield* read(session)).toMatchObject({ failed_rules: codes })
      }
    })
  )

  it.effect("a document of whose number only the end is stored needs a result that has the number", () =>
    Effect.gen(function* () {
      const { complete, progress } = yield* Partner
      const { number: _, ...withoutNumber } = passport
      for (const [result, missingSteps] of [
        [{ document: { number: "AB 123" } }, []],
        [{ document: { number: null } }, ["document"]],
        [{ document: { number: null, last3: "123" } }, ["document"]],
        [{ document: { last3: "123" } }, ["document"]],
        [{}, ["document"]]
      ] as const) {
        const session = yield* sessionOf({ config: noCaptcha, workflow: { steps: [steps.document] } })
        const files = [{ id: yield* uploaded(session), side: "front" }]
        yield* progress(session, { progress: { s_document: { ...withoutNumber, last3: "123", files } } })
        expect(yield* read(session)).toMatchObject({ assurance: { missingSteps: [] } })
        yield* complete(session, { result })
        expect(yield* read(session)).toMatchObject({ assurance: { missingSteps }, failed_rules: [] })
      }
    })
  )

  it.effect("a file that two steps name counts for neither", () =>
    Effect.gen(function* () {
      const { complete, progress } = yield* Partner
      const session = yield* sessionOf({
        config: noCaptcha,
        workflow: { steps: [steps.document, steps.selfie, steps.proof] }
      })
      const [one, two] = [yield* uploaded(session), yield* uploaded(session)]
      const files = [{ id: one, side: "front" }]
      yield* progress(session, {
        progress: {
          s_document: { ...passport, files },
          s_selfie: { files },
          s_proof: { files: [{ id: two }] }
        }
      })
      yield* complete(session)
      expect(yield* read(session)).toMatchObject({ assurance: { missingSteps: ["document", "selfie"] } })
    })
  )

  it.effect("nor for one of them if the other is skipped", () =>
    Effect.gen(function* () {
      const { complete, progress } = yield* Partner
      const rules = [
        {
          after: "document",
          if: { path: "document.type", op: "eq", value: "passport" },
          // biome-ignore lint/suspicious/noThenProperty: `then` is a key of the format; nothing awaits it.
          then: { skip: ["proof"] }
        }
      ]
      for (const proof of [steps.proof, { ...steps.proof, optional: true }]) {
        const session = yield* sessionOf({
          config: noCaptcha,
          workflow: { steps: [steps.document, proof], rules }
        })
        const files = [{ id: yield* uploaded(session), side: "front" }]
        yield* progress(session, {
          progress: { s_document: { ...passport, files }, s_proof: { skipped: true, files } }
        })
        yield* complete(session)
        expect(yield* read(session)).toMatchObject({
          flags: ["steps_missing"],
          assurance: { missingSteps: ["document"] }
        })
      }
    })
  )

  it.effect(
    "what was there at completion stays, also without its files; a failed session breaks no rule",
    () =>
      Effect.gen(function* () {
        const { complete, progress, server } = yield* Partner
        const workflow = { steps: [steps.proof, steps.person] }
        const session = yield* sessionOf({ config: noCaptcha, workflow })
        const answers = { s_proof: { files: [{ id: yield* uploaded(session) }] }, s_person: { name: "A" } }
        yield* progress(session, { progress: answers })
        yield* complete(session)
        yield* execute(server.databaseUrl, "delete from kyc_files where session_id = $1", [session.id])
        expect(yield* read(session)).toMatchObject({
          assurance: { requiredStepsPresent: true, missingSteps: [] },
          failed_rules: ["ANSWER_INVALID"]
        })
        const failed = yield* sessionOf({ config: noCaptcha, workflow })
        yield* progress(failed, { progress: { s_person: { name: "A" } } })
        yield* complete(failed, { status: "failed" })
        expect(yield* read(failed)).toMatchObject({ flags: [], failed_rules: [] })
      })
  )

  it.effect(
    "a session that asks for some steps again is judged by all, carried answers and their files included",
    () =>
      Effect.gen(function* () {
        const company = yield* reviewingCompany((yield* Partner).server)
        yield* company.asMember("PATCH", `/api/kyc/instances/${company.instance.id}`, {
          workflow: { steps: [steps.person, steps.document, steps.proof] }
        })
        const { decide } = yield* reviewerOf(company)
        const first = yield* company.newSession()
        const id = yield* uploaded(first)
        const photo = { s_document: { ...passport, files: [{ id, side: "front" }] } }
        yield* company.progress(first, { progress: { ...photo, s_person: { ...named, born: "2020-01-01" } } })
        yield* company.complete(first)
        const readOf = (session: Pick<TestSession, "id">) =>
          Effect.map(company.asPartner(`/api/kyc/sessions/${session.id}`), ({ body }) =>
            field(body, "session")
          )
        const flags = ["steps_missing", "rule_failed"]
        const missing = { assurance: { missingSteps: ["proof"] } }
        expect(yield* readOf(first)).toMatchObject({ ...missing, flags, failed_rules: ["AGE_TOO_LOW"] })
        // The document is asked for again: nobody has answered what was missing, and the child is as old as before.
        const second = opened(yield* decide(first, { decision: "resubmission", steps: ["document"] }))
        expect(yield* readOf(second)).toMatchObject({
          assurance: { missingSteps: ["document", "proof"] },
          flags: [],
          failed_rules: []
        })
        yield* company.progress(second, { progress: { s_document: { ...passport, expiry: "1998-01-01" } } })
        yield* company.complete(second)
        expect(yield* readOf(second)).toMatchObject({
          assurance: { missingSteps: ["document", "proof"] },
          flags,
          failed_rules: ["AGE_TOO_LOW", "DOCUMENT_EXPIRED"]
        })
        // The file of the first session is none of the second one.
        const third = opened(yield* decide(second, { decision: "resubmission", steps: ["person"] }))
        yield* company.progress(third, { progress: { s_person: named } })
        yield* company.complete(third)
        expect(yield* readOf(third)).toMatchObject({
          assurance: { missingSteps: ["document", "proof"] },
          flags,
          failed_rules: ["DOCUMENT_EXPIRED"]
        })
        const carried = opened(
          yield* decide(third, { decision: "resubmission", steps: ["document", "proof"] })
        )
        const [again, proof] = [
          [{ id: yield* uploaded(carried), side: "front" }],
          [{ id: yield* uploaded(carried) }]
        ]
        yield* company.progress(carried, {
          progress: { s_document: { ...passport, files: again }, s_proof: { files: proof } }
        })
        yield* company.complete(carried)
        expect(yield* readOf(carried)).toMatchObject({
          assurance: { requiredStepsPresent: true, missingSteps: [] },
          flags: [],
          failed_rules: []
        })
      })
  )

  it.effect("four sessions at once, each judged by its own answers", () =>
    Effect.gen(function* () {
      const { complete, progress } = yield* Partner
      const made = yield* Effect.replicateEffect(
        sessionOf({ config: noCaptcha, workflow: { steps: [steps.person] } }),
        4
      )
      const names = ["Ada", "A", "", "Grace"]
      yield* Effect.forEach(
        made.map((session, place) => ({ session, name: names[place] })),
        ({ name, session }) =>
          Effect.zipRight(progress(session, { progress: { s_person: { name } } }), complete(session)),
        { concurrency: "unbounded" }
      )
      const found = yield* Effect.forEach(made, read)
      expect(found.map((session) => field(session, "flags"))).toEqual([
        [],
        ["rule_failed"],
        ["steps_missing"],
        []
      ])
    })
  )

  it.effect(
    "the statement finds what whole answers, judged at once, would show, in 500 arbitrary sessions",
    () =>
      Effect.gen(function* () {
        const { server } = yield* Partner
        const ids = ["a", "b", "c"] as const
        const word = fc.constantFrom("x", "y", "")
        const condition = fc.record({
          path: fc.constantFrom("a.f", "b.f", "c.f"),
          op: fc.constantFrom("eq", "ne", "exists" as const),
          value: fc.constantFrom<unknown>("x", "y", true, false)
        })
        const valid = condition.filter(({ op, value }) => (op === "exists") === (typeof value === "boolean"))
        const workflows = fc.record({
          steps: fc.tuple(
            ...ids.map((id) =>
              fc.record({ id: fc.constant(id), optional: fc.boolean(), required: fc.boolean() })
            )
          ),
          rules: fc.array(
            fc.record({
              after: fc.constantFrom(...ids),
              if: valid,
              // biome-ignore lint/suspicious/noThenProperty: the word of the format; nothing awaits it.
              then: fc.record({
                fail: fc.constantFrom("ONE", "TWO", null),
                skip: fc.subarray([...ids], { maxLength: 1 })
              })
            }),
            { maxLength: 4 }
          )
        })
        const answers = fc.record(
          { a: fc.record({ f: word }), b: fc.record({ f: word }), c: fc.record({ f: word }) },
          { requiredKeys: [] }
        )
        const cases = fc.sample(fc.tuple(workflows, answers), { numRuns: 500, seed: 1 })
        const given = cases.map(([made, given]) => {
          const workflow = {
            steps: made.steps.map(({ id, optional, required }) => ({
              id,
              type: "form",
              optional,
              fields: [{ id: "f", type: "text", required }]
            })),
            rules: made.rules
          } as unknown as Workflow
          // Each answer is judged alone, as when it is written.
          const results = Object.assign(
            {},
            ...Object.entries(given).map(([id, answer]) =>
              stepResults(workflow, { [`s_${id}`]: answer }, circumstances)
            )
          )
          const answerTo = (id: string) => Object.entries(given).find(([of]) => of === id)?.[1]
          const met = made.rules.filter(({ if: { op, path, value } }) => {
            const { f } = answerTo(path.slice(0, 1)) ?? {}
            const isGiven = f !== undefined && f !== ""
            if (op === "exists") return isGiven === value
            return isGiven && (f === value) === (op === "eq")
          })
          const skipped = new Set(
            met.filter(({ after }) => answerTo(after) !== undefined).flatMap(({ then }) => then.skip)
          )
          const isOptional = (id: string) => made.steps.some((step) => step.id === id && step.optional)
          return {
            workflow,
            results,
            missing: made.steps
              .filter(({ id, optional, required }) => {
                const answer = answerTo(id)
                const isWhole = answer !== undefined && (!required || answer.f !== "")
                return !(optional || skipped.has(id) || isWhole)
              })
              .map(({ id }) => id),
            // The page submits each optional step, if only as skipped.
            failed: met
              .filter(
                ({ after }) => answerTo(after) !== undefined || (isOptional(after) && !skipped.has(after))
              )
              .flatMap(({ then }) => then.fail ?? [])
          }
        })
        const found = yield* judged(server, given, unknownId)
        expect(found).toEqual(given.map(({ failed, missing }) => ({ failed, missing })))
        expect(new Set(given.flatMap(({ failed }) => failed))).toEqual(new Set(["ONE", "TWO"]))
      })
  )
})
