/** What the server finds at completion: whoever holds the link need not use the page, which asks, refuses and stops. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
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

/** The ids of files that the session really has: two photos and a PDF. */
const [aFile, another, aPdf] = [Symbol("photo"), Symbol("another"), Symbol("PDF")]

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
const shown = { ...passport, files: front }

/** A step, an answer to it, whether it is still missing, and what it breaks. */
const table: ReadonlyArray<readonly [string, Json, unknown, "missing" | "there", ...ReadonlyArray<string>]> =
  [
    ["nothing", steps.person, undefined, "missing"],
    ["null", steps.person, null, "missing"],
    ["an empty object", steps.person, {}, "missing"],
    ["skipped", steps.person, { skipped: true }, "missing"],
    ["skipped, with an answer", steps.person, { skipped: true, ...named }, "missing", "ANSWER_INVALID"],
    ["spaces around a country", steps.person, { ...named, country: "FRA " }, "there", "ANSWER_INVALID"],
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
    ["a child", steps.person, { ...named, born: "2020-01-01" }, "there", "AGE_TOO_LOW"],
    ["somebody not born yet", steps.person, { ...named, born: "2999-01-01" }, "there", "ANSWER_INVALID"],
    ["somebody born long ago", steps.person, { ...named, born: "1900-01-01" }, "there", "AGE_TOO_HIGH"],
    ["a day that does not exist", steps.person, { ...named, born: "1990-02-30" }, "there", "ANSWER_INVALID"],
    ["another country", steps.person, { ...named, country: "PRK" }, "there", "COUNTRY_NOT_ALLOWED"],
    ["no country", steps.person, { ...named, country: "ZZZ" }, "there", "ANSWER_INVALID"],
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
    ["a photo of nowhere", steps.document, { ...passport, files: [{ id: unknownId }] }, "missing"],
    [
      "one photo of its own and one of nowhere",
      steps.document,
      { ...passport, files: [...front, { id: unknownId }] },
      "missing"
    ],
    [
      "a photo of another type",
      steps.document,
      { ...passport, files: [{ id: aFile, document: "id_card" }] },
      "missing"
    ],
    ["all of a passport", steps.document, shown, "there"],
    ["one side of a card", steps.document, { ...shown, type: "id_card" }, "missing"],
    [
      "the same side twice",
      steps.document,
      { ...passport, type: "id_card", files: [...front, ...front] },
      "missing"
    ],
    ["no number", steps.document, { ...shown, number: "" }, "missing"],
    ["the end of a number", steps.document, { ...shown, number: undefined, last3: "123" }, "there"],
    ["no expiry", steps.document, { ...shown, expiry: undefined }, "missing"],
    ["an expired document", steps.document, { ...shown, expiry: "1998-01-01" }, "there", "DOCUMENT_EXPIRED"],
    ["no day", steps.document, { ...shown, expiry: "soon" }, "there", "ANSWER_INVALID"],
    [
      "another country's document",
      steps.document,
      { ...shown, country: "FRA" },
      "there",
      "COUNTRY_NOT_ALLOWED"
    ],
    [
      "another type",
      steps.document,
      { ...shown, type: "residence_permit" },
      "missing",
      "DOCUMENT_NOT_ALLOWED"
    ],
    ["no zone, where it must be", { ...steps.document, mrz: "required" }, shown, "missing"],
    ["a PDF for a photo", steps.document, { ...passport, files: [{ id: aPdf, side: "front" }] }, "missing"],
    ["no photo of the face", steps.selfie, { files: [] }, "missing"],
    ["a PDF for a photo of the face", steps.selfie, { files: [{ id: aPdf }] }, "missing"],
    ["a photo of the face", steps.selfie, { files: front }, "there"],
    ["a selfie skipped", steps.selfie, { skipped: true }, "missing"],
    ["a selfie skipped where it may be", steps.camera, { skipped: true }, "there"],
    ["a proof without file", steps.proof, {}, "missing"],
    ["a proof", steps.proof, { files: [{ id: aPdf }] }, "there"],
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

const rule = (after: string, path: string, op: string, value: unknown, then: object) => ({
  after,
  if: { path, op, value },
  then
})

const skipsProof = [rule("document", "document.type", "eq", "passport", { skip: ["proof"] })]
const failsAfter = (step: string) => [rule(step, "person.country", "eq", "FRA", { fail: "NOT_FRANCE" })]
const french = { s_person: { ...named, country: "FRA" } }

/** A workflow, the answers, which steps are missing, and what the answers break together. */
const together: ReadonlyArray<
  readonly [string, Json, Json, ReadonlyArray<string>, ...ReadonlyArray<string>]
> = [
  [
    "a file that two steps name counts for neither",
    { steps: [steps.document, steps.selfie, steps.proof] },
    {
      s_document: shown,
      s_selfie: { files: front },
      s_proof: { files: [{ id: another }] }
    },
    ["document", "selfie"]
  ],
  [
    "nor if the other is skipped by a rule",
    { steps: [steps.document, steps.proof], rules: skipsProof },
    { s_document: shown, s_proof: { skipped: true, files: front } },
    ["document"]
  ],
  [
    "nor if the other is optional",
    { steps: [steps.document, { ...steps.proof, optional: true }] },
    { s_document: shown, s_proof: { skipped: true, files: front } },
    ["document"],
    "ANSWER_INVALID"
  ],
  [
    "a rule that fails after an optional step that was left out",
    { steps: [steps.person, { ...steps.proof, optional: true }], rules: failsAfter("proof") },
    french,
    [],
    "NOT_FRANCE"
  ],
  [
    "one that only spaces would escape",
    { steps: [steps.person], rules: failsAfter("person") },
    { s_person: { ...named, country: " FRA" } },
    [],
    "NOT_FRANCE",
    "ANSWER_INVALID"
  ],
  [
    "a rule that fails, after a step without an answer and about a missing one",
    {
      steps: [steps.person, steps.selfie],
      rules: [
        ...failsAfter("selfie"),
        rule("person", "selfie.files", "exists", false, { fail: "NO_SELFIE" }),
        rule("person", "person.country", "ne", "EST", { fail: "NOT_HERE", skip: ["selfie"] })
      ]
    },
    french,
    [],
    "NO_SELFIE",
    "NOT_HERE"
  ],
  [
    "a rule that skips, after a step without an answer",
    {
      steps: [steps.selfie, steps.person],
      rules: [rule("selfie", "person.name", "exists", true, { skip: ["selfie"] })]
    },
    french,
    ["selfie"]
  ],
  ...["review", "captcha"].map(
    (type) =>
      [
        `a rule that fails after the ${type}, to which no answer belongs`,
        { steps: [steps.person, { id: "last", type }], rules: failsAfter("last") },
        french,
        [],
        "NOT_FRANCE"
      ] as const
  )
]

const withFiles = (value: unknown, ids: ReadonlyMap<unknown, string>): unknown => {
  if (typeof value === "symbol") return ids.get(value)
  if (Array.isArray(value)) return value.map((one) => withFiles(one, ids))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withFiles(inner, ids)]))
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
  it.effect("what answers amount to, one by one and together", () =>
    Effect.gen(function* () {
      const { newSession, server } = yield* Partner
      const session = yield* newSession()
      const pdf = text((yield* upload(server, session, samples.pdf)).body, "file", "id")
      const ids = new Map([
        [aFile, yield* uploaded(session)],
        [another, yield* uploaded(session)],
        [aPdf, pdf]
      ])
      const alone = table.map(
        ([name, step, answer, standing, ...failed]) =>
          [
            name,
            { steps: [step] },
            answer === undefined ? {} : { [`s_${step.id}`]: answer },
            standing === "missing" ? [step.id] : [],
            ...failed
          ] as const
      )
      const all = [...alone, ...together]
      const given = all.map(([, made, answers]) => {
        // Of the form that an instance's workflow has.
        const workflow = made as unknown as Workflow
        const progress = Object(withFiles(answers, ids))
        return { workflow, results: stepResults(workflow, progress, circumstances) }
      })
      const found = yield* judged(server, given, session.id)
      expect(all.map(([name], place) => [name, found[place]])).toEqual(
        all.map(([name, , , missing, ...failed]) => [name, { missing, failed }])
      )
    })
  )

  it.effect("before completion and after it, of several sessions at once", () =>
    Effect.gen(function* () {
      const { complete, progress } = yield* Partner
      const instance = { config: noCaptcha, workflow: { steps: [steps.person] } }
      const cases = [
        [undefined, ["person"], ["steps_missing"], []],
        [{}, ["person"], ["steps_missing"], []],
        [named, [], [], []],
        [{ ...named, country: "PRK" }, [], ["rule_failed"], ["COUNTRY_NOT_ALLOWED"]]
      ] as const
      yield* Effect.forEach(
        cases,
        Effect.fnUntraced(function* ([answer, missingSteps, flags, failed_rules]) {
          const session = yield* sessionOf(instance)
          if (answer !== undefined) yield* progress(session, { progress: { s_person: answer } })
          const assurance = { requiredStepsPresent: missingSteps.length === 0, missingSteps }
          expect(yield* read(session)).toMatchObject({ assurance, flags: [], failed_rules: [] })
          yield* complete(session)
          expect(yield* read(session)).toMatchObject({ assurance, flags, failed_rules })
        }),
        { concurrency: "unbounded" }
      )
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

  it.effect("rules that fail and rules that skip, in the list, the read, the event and the review", () =>
    Effect.gen(function* () {
      const company = yield* Partner
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
      const other = { kind: "document", ...pass, number: "X" } as const
      const person = { kind: "person", ...ada } as const
      const { document } = steps
      for (const [expected, found] of [
        [[], yield* compared(block, document, hidden, result, [same])],
        [missed, yield* compared(block, document, hidden, result, [])],
        [missed, yield* compared(block, document, hidden, result, [other])],
        // The result must say which document it is.
        [missed, yield* compared(block, document, hidden, {}, [same])],
        [[], yield* compared(block, document, { skipped: true }, {}, [])],
        [[], yield* compared(block, { ...document, dedup: false }, hidden, result, [])],
        [[], yield* compared({ ...block, enabled: false }, document, hidden, result, [])],
        [[], yield* compared({ onMatch: "review" }, document, hidden, result, [])],
        [[], yield* compared(block, document, hidden, result, [], "dev")],
        [[], yield* compared(block, form, ada, { person: ada }, [])],
        [missed, yield* compared({ ...block, strategy: "person" }, form, ada, { person: ada }, [])],
        [[], yield* compared({ ...block, strategy: "person" }, form, ada, { person: ada }, [person])]
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
        rules: failsAfter("person")
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

  it.effect("a session that fails or is cancelled keeps nothing that says something about the person", () =>
    Effect.gen(function* () {
      const { asPartner, key, progress, server } = yield* Partner
      const rules = [rule("person", "person.country", "eq", "PRK", { skip: ["proof"] })]
      const answer = { s_person: { ...named, country: "PRK" } }
      for (const end of ["failed", "cancelled", "by the partner"] as const) {
        const session = yield* sessionOf({
          workflow: { steps: [steps.person, steps.proof, steps.document], rules }
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
            rules: [rule("person", "selfie.files", "exists", false, { fail: "NO_SELFIE" })]
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
})
