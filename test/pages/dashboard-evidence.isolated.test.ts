/** What the page of a review says of consents and photos: what the server knows, and not what the end user's browser makes of it. */
import { beforeEach, describe, expect, it, vi } from "vitest"
import { withoutBrowser } from "../support/web/page.ts"

withoutBrowser()
const readsEnglish = () => vi.stubGlobal("navigator", { languages: ["en"] })
readsEnglish()
beforeEach(readsEnglish)
const { answeredSteps } = await import("../../src/web/dashboard/kyc/evidence/answers.ts")
const { photosOf } = await import("../../src/web/dashboard/kyc/evidence/photos.ts")

type SessionRead = Parameters<typeof answeredSteps>[0]

interface Given {
  readonly progress: object
  readonly workflow?: object
  readonly missing?: ReadonlyArray<string>
  readonly status?: SessionRead["status"]
  readonly config?: object
  readonly result?: unknown
}

const sessionOf = ({
  config = {},
  missing = [],
  progress,
  result = null,
  status = "completed",
  workflow = {}
}: Given): SessionRead => {
  const session = {
    id: "own",
    status,
    first_workflow: null,
    instance_config: config,
    instance_workflow: workflow,
    progress,
    result,
    completed_at: null,
    updated_at: "2026-11-20T10:00:00.000Z",
    assurance: { missingSteps: missing }
  }
  // The cast: the rest of a session says nothing of its answers and photos.
  return session as unknown as SessionRead
}

describe("Consents", () => {
  const items = [{ id: "privacy", required: true, text: "I agree to the checks." }, { id: "news_letter" }]
  const consent = { id: "consent", type: "consent", items }
  const workflow = { steps: [consent] }
  const all = [{ id: "privacy" }, { id: "news_letter" }]

  const said = (given: Partial<Given>, sent: ReadonlyArray<object> = all) =>
    answeredSteps(sessionOf({ workflow, progress: { s_consent: { items: sent } }, ...given })).flatMap(
      ({ rows }) => rows.map(({ entered, label }) => [label, entered])
    )

  it("agreed to is what the server compared: a required one, in a whole answer", () => {
    expect(said({})).toEqual([
      ["Privacy", "Agreed to version 1"],
      ["News letter", "Agreed, as the browser says"]
    ])
  })

  it("the version is the config's, whatever the answer says", () => {
    const sent = all.map(({ id }) => ({ id, version: "2031-draft" }))
    expect(said({ config: { legal: { consentVersion: "2026-11" } } }, sent)).toEqual([
      ["Privacy", "Agreed to version 2026-11"],
      ["News letter", "Agreed, as the browser says"]
    ])
  })

  it.each<readonly [string, Partial<Given>]>([
    ["is not completed", { status: "running" }],
    ["has no whole answer to the step", { missing: ["consent"] }],
    ["may leave the step out", { workflow: { steps: [{ ...consent, optional: true }] } }],
    [
      "has a rule that skips the step",
      {
        workflow: {
          steps: [consent],
          rules: [
            {
              after: "person",
              if: { path: "person.nationality", op: "eq", value: "EST" },
              // biome-ignore lint/suspicious/noThenProperty: `then` is a key of the format; nothing awaits it.
              then: { skip: ["consent"] }
            }
          ]
        }
      }
    ]
  ])("it is the browser that says so, if the session %s", (_, given) => {
    expect(said(given)[0]).toEqual(["Privacy", "Agreed, as the browser says"])
    expect(said(given, [])[0]).toEqual(["Privacy", "Not agreed"])
  })

  it.each([
    ["is not among the items", []],
    ["says false", [{ id: "news_letter", accepted: false }]],
    ["says no in other ways", [{ id: "news_letter", accepted: "no" }]],
    ["says both", [{ id: "news_letter" }, { id: "news_letter", accepted: false }]]
  ])("what %s is not agreed", (_, sent) => {
    expect(said({ missing: ["consent"] }, sent)[1]).toEqual(["News letter", "Not agreed"])
  })

  it("an item that the workflow does not have is not listed", () => {
    const sent = [...all, { id: "marketing-to-partners", version: "1", accepted: true }]
    expect(said({}, sent)).toEqual(said({}))
  })

  it("the page's own consent, of a workflow without steps or items, is one like the others", () => {
    const own = [{ id: "terms", version: "7", accepted: true }]
    for (const without of [{}, { steps: [{ id: "consent", type: "consent" }] }]) {
      expect(said({ workflow: without }, own)).toEqual([["Terms", "Agreed to version 1"]])
      expect(said({ workflow: without, missing: ["consent"] }, own)).toEqual([
        ["Terms", "Agreed, as the browser says"]
      ])
    }
  })

  it("nothing is said of a step without an answer", () => {
    expect(said({ progress: {} })).toEqual([])
  })
})

describe("Photos", () => {
  const workflow = {
    steps: [
      { id: "person", type: "form", fields: [{ id: "name", type: "text" }] },
      { id: "document", type: "document" },
      { id: "selfie", type: "selfie" },
      { id: "bill", type: "upload", title: "Utility bill" }
    ]
  }
  const file = (id: string, session_id = "own") => ({
    id,
    session_id,
    content_type: "image/jpeg" as const,
    size: 1,
    sha256: "",
    created_at: ""
  })

  const shown = (given: Omit<Given, "workflow">, files = ["a1", "b2"].map((id) => file(id))) =>
    photosOf(sessionOf({ workflow, ...given }), files).map(({ carried, id, kind, short, what }) =>
      [id, kind, what, short, ...(carried ? ["carried"] : [])].join(", ")
    )

  const noStep = (id: string) => `${id}, other, Named by no step, No step`

  it("are those of the steps that name them, in their order, and then the others", () => {
    const progress = {
      s_document: { type: "passport", files: [{ id: "b2", side: "front", document: "passport" }] },
      s_selfie: { files: [{ id: "c3", prompt: "straight" }] },
      s_bill: { files: [{ id: "d4" }] }
    }
    const files = [file("a1"), file("d4"), file("c3", "before"), file("b2")]
    expect(shown({ progress }, files)).toEqual([
      "b2, document, Photo page of passport, Photo page",
      "c3, selfie, Selfie: straight, Straight, carried",
      "d4, other, Utility bill, Utility bill",
      noStep("a1")
    ])
  })

  it.each([
    ["document.files", { document: { files: [{ id: "a1", side: "front" }] } }],
    ["selfie.files", { selfie: { files: [{ id: "a1" }] } }],
    ["a label of its own", { "Photo page of passport": { id: "a1" } }]
  ])("of the result are named by no step: %s", (_, result) => {
    expect(shown({ progress: {}, result })).toEqual([noStep("a1"), noStep("b2")])
  })

  it("of an answer that asks for no files are named by no step", () => {
    const progress = { s_person: { files: [{ id: "a1" }] }, s_elsewhere: { files: [{ id: "b2" }] } }
    expect(shown({ progress })).toEqual([noStep("a1"), noStep("b2")])
  })

  it("that two steps name count for neither", () => {
    const progress = {
      s_document: { type: "id_card", files: [{ id: "a1", side: "front" }] },
      s_selfie: { files: [{ id: "A1" }, { id: "b2" }, { id: "b2", prompt: "left" }] }
    }
    expect(shown({ progress })).toEqual([
      "a1, other, Named by two steps, Two steps",
      "b2, selfie, Selfie, Selfie"
    ])
  })

  it.each(["constructor", "Checked by doorlock"])("have no names of the browser's choice: %s", (name) => {
    const progress = {
      s_document: { type: name, files: [{ id: "a1", side: name, document: name }] },
      s_selfie: { files: [{ id: "b2", prompt: name }] }
    }
    expect(shown({ progress })).toEqual(["a1, document, Document, Document", "b2, selfie, Selfie, Selfie"])
  })

  it("are named in letters of any case, and by the first 50 files of an answer", () => {
    const many = Array.from({ length: 50 }, (_, index) => ({ id: index === 0 ? "A1" : `x${index}` }))
    expect(shown({ progress: { s_selfie: { files: [...many, { id: "b2" }] } } })).toEqual([
      "a1, selfie, Selfie, Selfie",
      noStep("b2")
    ])
  })
})
