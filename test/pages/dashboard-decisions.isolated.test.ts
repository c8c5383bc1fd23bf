/** What is sent of decisions on reviews, and when; and the claims that keep others out. */
import { describe, expect, it, vi } from "vitest"
import type { DecisionMade } from "../../src/web/dashboard/kyc/reviews/deciding.ts"
import { dashboardTimes } from "../../src/web/timing.ts"
import {
  answering,
  happens,
  passes,
  refusal,
  seen,
  settles,
  used,
  withoutBrowser
} from "../support/web/page.ts"

withoutBrowser()
const deciding = await import("../../src/web/dashboard/kyc/reviews/deciding.ts")
const { releaseClaims, releaseFailed, renewClaims, useClaim } = await import(
  "../../src/web/dashboard/kyc/reviews/claiming.ts"
)

const made: DecisionMade = {
  sessionId: "s1",
  userId: "ada",
  name: "customer-1",
  search: "",
  decision: "declined",
  reasons: ["document_suspect"],
  steps: [],
  note: "",
  draft: "",
  proposes: false
}

const review = "/api/kyc/sessions/s1/review"

const undoFor = dashboardTimes.undoDecision

/** The entries that are shown, by what has become of them. */
const decisions = async () => {
  const shown = await used(deciding.useDecisions)
  return {
    entries: () => shown.now.entries,
    states: () => shown.now.entries.map(({ name, state }) => `${name} ${state}`),
    said: () => shown.now.said
  }
}

/** The only entry, in this state. */
const only = <State extends "sent" | "failed">(
  {
    entries
  }: {
    readonly entries: () => ReadonlyArray<import("../../src/web/dashboard/kyc/reviews/deciding.ts").Entry>
  },
  state: State
) => {
  const [entry] = entries()
  if (entries().length !== 1 || entry?.state !== state) throw new Error(JSON.stringify(entries()))
  return entry as Extract<typeof entry, { readonly state: State }>
}

describe("a decision", () => {
  /** Decisions of the test before are not those of this one. */
  const fresh = async () => {
    deciding.forgetDecisions()
    return decisions()
  }

  it("is sent once it cannot be undone any more, with what was typed as a note", async () => {
    const { said, states } = await fresh()
    const asked = answering(() => ({ ok: true }))
    deciding.decide({ ...made, note: " Forged ", draft: "Looks odd" })
    await passes(undoFor - 1)
    expect(asked).toEqual([])
    expect(states()).toEqual(["customer-1 waiting"])
    expect(said()).toBe("customer-1: Declined.")
    expect(deciding.isDeciding("s1")).toBe(true)
    await passes(1)
    expect(asked).toMatchObject([
      {
        what: `POST ${review}`,
        body: { decision: "declined", reasons: ["document_suspect"], note: "Forged\n\nLooks odd" },
        // It outlives the page.
        keepalive: true
      }
    ])
    expect(states()).toEqual([])
    expect(deciding.isDeciding("s1")).toBe(false)
  })

  it("that is taken back is not sent, and can be gone on with until there is another one", async () => {
    const { entries, states } = await fresh()
    const asked = answering(() => ({ ok: true }))
    deciding.decide(made)
    await settles()
    const [entry] = entries()
    if (entry !== undefined) deciding.undo(entry)
    expect(deciding.undoneOf("s1")).toMatchObject({ reasons: ["document_suspect"] })
    await passes(undoFor)
    expect(states()).toEqual([])
    expect(asked).toEqual([])
    deciding.decide({ ...made, decision: "approved", reasons: [] })
    expect(deciding.undoneOf("s1")).toBeUndefined()
    await passes(undoFor)
    expect(asked).toMatchObject([{ body: { decision: "approved", reasons: [] } }])
    deciding.decide(made)
    await settles()
    for (const one of entries()) deciding.undo(one)
    deciding.forgetUndone("s1")
    expect(deciding.undoneOf("s1")).toBeUndefined()
  })

  it.each([
    ["the tab is hidden", () => seen("hidden")],
    ["the page is closed", () => void happens("pagehide")],
    ["the user signs out", () => void deciding.sendDecisions()]
  ])("is sent at once, and once, when %s", async (_, leave) => {
    await fresh()
    const asked = answering(() => ({ ok: true }))
    deciding.decide(made)
    leave()
    for (const later of [0, undoFor]) {
      await passes(later)
      expect(asked.map(({ what }) => what)).toEqual([`POST ${review}`])
    }
  })

  it("that failed stays, says why, and can be sent again; leaving the page asks", async () => {
    const shown = await fresh()
    const answers: Array<unknown> = [refusal(500), undefined, { ok: true }]
    answering(() => answers.shift())
    deciding.decide(made)
    expect(happens("beforeunload").defaultPrevented).toBe(false)
    await passes(undoFor)
    const words = "“Decline” was not saved. Out of order."
    expect(deciding.failureWords(only(shown, "failed"))).toBe(words)
    expect(shown.said()).toBe(`customer-1: ${words}`)
    expect(deciding.isDeciding("s1")).toBe(false)
    expect(deciding.unsettled()).toHaveLength(1)
    expect(happens("beforeunload").defaultPrevented).toBe(true)
    deciding.sendAgain(only(shown, "failed"))
    await settles()
    expect(deciding.failureWords(only(shown, "failed"))).toMatch(/doorlock cannot be reached/)
    deciding.sendAgain(only(shown, "failed"))
    await settles()
    expect(shown.states()).toEqual([])
    expect(happens("beforeunload").defaultPrevented).toBe(false)
  })

  it.each([
    ["has arrived", 409, { decision: "declined", decided_by: "ada", proposal: null }, false, true],
    [
      "has arrived as a proposal",
      403,
      { proposal: { decision: "declined", proposed_by: "ada" } },
      true,
      true
    ],
    ["is somebody else's", 409, { decision: "declined", decided_by: "grace", proposal: null }, false, false],
    ["is another one", 409, { decision: "approved", decided_by: "ada", proposal: null }, false, false],
    [
      "is only somebody's proposal",
      409,
      { proposal: { decision: "declined", proposed_by: "ada" } },
      false,
      false
    ]
  ])(
    "that is refused may have been saved, and only its response lost: it %s",
    async (_, status, found, proposes, saved) => {
      const { states } = await fresh()
      answering(({ what }) => (what === `POST ${review}` ? refusal(status) : { review: found }))
      deciding.decide({ ...made, proposes })
      await passes(undoFor)
      expect(states()).toEqual(saved ? [] : ["customer-1 failed"])
    }
  )

  it("that asks again leaves a link to pass on, until it is copied and there is another decision", async () => {
    const shown = await fresh()
    const verificationUrl = "https://doorlock.example/kyc/session/s2?token=x"
    const asked = answering(() => ({ verificationUrl }))
    deciding.decide({ ...made, decision: "resubmission", steps: ["document"] })
    await passes(undoFor)
    expect(asked).toMatchObject([{ body: { decision: "resubmission", steps: ["document"] } }])
    const sent = only(shown, "sent")
    expect(sent.verificationUrl).toBe(verificationUrl)
    expect(shown.said()).toBe("customer-1: the link for the end user is ready.")
    expect(happens("beforeunload").defaultPrevented).toBe(true)
    deciding.noteCopied(sent)
    await settles()
    expect(deciding.unsettled()).toEqual([])
    expect(happens("beforeunload").defaultPrevented).toBe(false)
    expect(shown.states()).toEqual(["customer-1 sent"])
    deciding.decide({ ...made, sessionId: "s3", name: "customer-3" })
    await settles()
    expect(shown.states()).toEqual(["customer-3 waiting"])
  })

  it("is not sent as somebody else, nor shown to them", async () => {
    const { said, states } = await fresh()
    const asked = answering(() => ({ ok: true }))
    deciding.decide(made)
    deciding.holdDecisions()
    await passes(undoFor)
    expect(states()).toEqual(["customer-1 failed"])
    deciding.decide({ ...made, sessionId: "s3" })
    deciding.forgetDecisions()
    await passes(undoFor)
    expect(states()).toEqual([])
    expect(said()).toBe("")
    expect(asked).toEqual([])
  })
})

describe("a claim", () => {
  const [take, release] = [`POST ${review}/claim`, `POST ${review}/release`]

  const claiming = async (renewed = () => {}) => {
    deciding.forgetDecisions()
    vi.spyOn(Math, "random").mockReturnValue(0.5)
    const server = { status: 200 }
    const asked = answering(() => (server.status === 200 ? { ok: true } : refusal(server.status)))
    const claim = await used(() => useClaim("s1", true, renewed))
    return { server, whats: () => asked.map(({ what }) => what), claim }
  }

  it("is renewed every five minutes, and as soon as the user is back; what others did is then looked for", async () => {
    const renewed = vi.fn()
    const { claim, whats } = await claiming(renewed)
    expect(claim.now).toEqual({ state: "mine" })
    expect(renewed).not.toHaveBeenCalled()
    await passes(299_999)
    expect(whats()).toEqual([take])
    await passes(1)
    expect(whats()).toEqual([take, take])
    expect(renewed).toHaveBeenCalledTimes(1)
    seen("hidden")
    await passes(600_000)
    expect(whats()).toHaveLength(2)
    seen("visible")
    await settles()
    expect(whats()).toHaveLength(3)
    for (const back of ["online", "pageshow"]) {
      happens(back)
      await settles()
    }
    renewClaims()
    await settles()
    expect(whats()).toHaveLength(6)
  })

  it.each([403, 404, 409])(
    "that is refused with %i is nobody's to release, and is asked for again",
    async (status) => {
      const { claim, server, whats } = await claiming()
      server.status = status
      await passes(300_000)
      expect(claim.now).toMatchObject({ state: "refused", failure: { status } })
      server.status = 200
      await passes(300_000)
      expect(claim.now).toEqual({ state: "mine" })
      server.status = status
      await passes(300_000)
      claim.unmount()
      await settles()
      expect(whats()).toEqual([take, take, take, take])
    }
  )

  it("is given up when the user leaves, unless a decision is on its way", async () => {
    const first = await claiming()
    first.claim.unmount()
    await passes(600_000)
    expect(first.whats()).toEqual([take, release])

    const second = await claiming()
    deciding.decide(made)
    second.claim.unmount()
    await settles()
    expect(second.whats()).toEqual([take])
    deciding.forgetDecisions()
    // A tab may be closed.
    const third = await claiming()
    happens("pagehide")
    await settles()
    expect(third.whats()).toEqual([take, release])
  })

  it("ends with the sign-out, and so does that of a decision that failed", async () => {
    const { server, whats } = await claiming()
    deciding.decide({ ...made, sessionId: "s2" })
    server.status = 500
    await passes(undoFor)
    server.status = 200
    // The page of the other one is open.
    releaseFailed("s1")
    await releaseClaims()
    expect(whats()).toEqual([
      take,
      "POST /api/kyc/sessions/s2/review",
      release,
      "POST /api/kyc/sessions/s2/review/release"
    ])
    releaseFailed("s2")
    await settles()
    expect(whats()).toHaveLength(5)
  })
})
