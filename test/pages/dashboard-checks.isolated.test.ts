/** What the page of a review says of checks in few words. */
import { expect, it, vi } from "vitest"

// The dashboard reads its address as it is loaded, and how the tab got there.
vi.stubGlobal("location", new URL("https://doorlock.example/dashboard"))
vi.stubGlobal("history", {})
const { checksOf, summaryOf } = await import("../../src/web/dashboard/kyc/evidence/session-checks.ts")

type SessionRead = Parameters<typeof checksOf>[0]

const fewWords = (source: string) => {
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
    instance_config: {},
    instance_workflow: { steps: [] },
    previous_session_id: null,
    next_session_id: null,
    assurance: {
      captcha: { verified: false, score: null, at: null },
      dedup: { matchFound: false, seenCount: 0 },
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
  return summaryOf(checksOf(session as unknown as SessionRead, [])).inFew.map(({ words }) => words)
}

it("tells dates that were only typed from those that were read", () => {
  expect(fewWords("zone")).toEqual(expect.arrayContaining(["Not expired", "Old enough"]))
  expect(fewWords("typed")).toEqual(expect.arrayContaining(["Not expired, as typed", "Old enough, as typed"]))
})
