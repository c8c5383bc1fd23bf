/** What the page of a review says of checks in few words. */
import { expect, it, vi } from "vitest"

// The dashboard reads its address as it is loaded, and how the tab got there.
vi.stubGlobal("location", new URL("https://doorlock.example/dashboard"))
vi.stubGlobal("history", {})
const { checksOf, summaryOf } = await import("../../src/web/dashboard/kyc/evidence/session-checks.ts")

type SessionRead = Parameters<typeof checksOf>[0]

const notSeen = { matchFound: false, seenCount: 0, earlierCompleted: false }

const checksWith = (source: string, dedup = notSeen, failed_rules: ReadonlyArray<string> = []) => {
  const check = {
    id: "",
    outcome: "agrees",
    reason: "",
    detail: { source },
    file_ids: [],
    at: "",
    engine: null
  }
  const session = {
    failed_rules,
    instance_config: {},
    instance_workflow: { steps: [] },
    previous_session_id: null,
    next_session_id: null,
    assurance: {
      captcha: { verified: false, score: null, at: null },
      dedup,
      requiredStepsPresent: true,
      missingSteps: [],
      durationMs: null
    },
    checks: [
      { ...check, kind: "document.expiry", reason: "expiry" },
      { ...check, kind: "person.age", reason: "age" }
    ]
  }
  // The cast: the rest of a session says nothing of its checks.
  return checksOf(session as unknown as SessionRead, [])
}

const fewWords = (source: string) => summaryOf(checksWith(source)).inFew.map(({ words }) => words)

it("says whether an earlier session with the same document was completed", () => {
  const wordsOf = (seenCount: number, earlierCompleted: boolean) =>
    checksWith("zone", { matchFound: true, seenCount, earlierCompleted }).map(({ words }) => words)
  expect(wordsOf(2, true)).toContain(
    "The same document is in another session, and an earlier one was completed"
  )
  expect(wordsOf(3, false)).toContain(
    "The same document is in 2 other sessions, and no earlier one was completed"
  )
})

it("tells dates that were only typed from those that were read", () => {
  expect(fewWords("zone")).toEqual(expect.arrayContaining(["Not expired", "Old enough"]))
  expect(fewWords("typed")).toEqual(expect.arrayContaining(["Not expired, as typed", "Old enough, as typed"]))
})

it("says which rules are broken, first and in words", () => {
  const broken = checksWith("zone", notSeen, ["COUNTRY_NOT_SUPPORTED", "AGE_TOO_LOW", "AGE_TOO_LOW"])
  expect(broken.slice(0, 2)).toEqual([
    { tone: "problem", words: "The answers break a rule of the workflow: COUNTRY_NOT_SUPPORTED" },
    { tone: "problem", words: "Younger than a form asks for" }
  ])
  expect(summaryOf(broken).inWords).toEqual(expect.arrayContaining(broken.slice(0, 2)))
})
