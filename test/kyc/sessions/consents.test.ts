/** What counts as a consent: in receipts, exports and the judgement of a session. */
import { describe, expect, it } from "vitest"
import { ownConsent } from "../../../src/kyc/instances/own-consent-model.ts"
import { agreedIn, consentsOf } from "../../../src/kyc/sessions/consents-model.ts"
import { sha256 } from "../../support/kyc/files.ts"

const hashOf = (words: string) => sha256(Buffer.from(words))
const at = new Date("2026-11-20T10:00:00Z")
const workflow = {
  steps: [
    { id: "first", type: "consent", items: [{ id: "p", text: "Text A" }] },
    { id: "second", type: "consent", items: [{ id: "p", text: { en: "Text B" } }] },
    { id: "form", type: "form", fields: [] }
  ]
}
const given = (id: string, words: string, more: object = {}) => ({ id, textSha256: hashOf(words), ...more })

const consents = (progress: Record<string, unknown>, result: unknown = null) =>
  consentsOf(
    { completed_at: at, instance_config: {}, progress, result },
    { answeredAt: new Map([["first", at]]), workflow }
  ).map(({ id, text }) => [id, text])

describe("consents", () => {
  it("two steps may have items of the same id", () =>
    expect(
      consents({ s_first: { items: [given("p", "Text A")] }, s_second: { items: [given("p", "Text B")] } })
    ).toEqual([
      ["p", "Text B"],
      ["p", "Text A"]
    ]))

  it.each([
    ["says no", { s_first: { items: [given("p", "Text A", { accepted: false })] } }],
    ["says no in another way", { s_first: { items: [given("p", "Text A", { accepted: "no" })] } }],
    ["is null", { s_first: { items: [given("p", "Text A", { accepted: null })] } }],
    ["is in a step that was skipped", { s_first: { skipped: true, items: [given("p", "Text A")] } }],
    ["is in a form", { s_form: { items: [given("p", "Text A")] } }],
    ["is in no step", { s_other: { items: [given("p", "Text A")] } }],
    ["is to something else", { s_first: { items: [given("q", "Text A")] } }]
  ])("none that %s", (_, progress) => expect(consents(progress)).toEqual([]))

  it("a result that says no gives none", () =>
    expect(consents({}, { consents: [given("p", "Text A", { accepted: false })] })).toEqual([]))

  it("the page's own words are none of an item that has words", () =>
    expect([...agreedIn(workflow, [given("p", ownConsent.de)])]).toEqual([]))

  it("the same rule judges a session", () => {
    expect([...agreedIn(workflow, [given("p", "Text A", { accepted: true })])]).toEqual(["p"])
    expect([...agreedIn(workflow, [given("p", "Text A", { accepted: 0 })])]).toEqual([])
  })
})
