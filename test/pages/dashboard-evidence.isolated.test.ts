/** What the page of a review says of consents: what the server knows, and not what the end user's browser makes of it. */
import { beforeEach, describe, expect, it, vi } from "vitest"
import { withoutBrowser } from "../support/web/page.ts"

withoutBrowser()
const readsEnglish = () => vi.stubGlobal("navigator", { languages: ["en"] })
readsEnglish()
beforeEach(readsEnglish)
const { answeredSteps } = await import("../../src/web/dashboard/kyc/evidence/answers.ts")

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
