/** What the KYC page does with a session, without a browser: saving, going on, ending, handing over, and looking for duplicates. */
import { createElement } from "preact"
import { describe, expect, it, vi } from "vitest"
import type { Json } from "../../src/web/json.ts"
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
const { sessionApi } = await import("../../src/web/kyc/api.ts")
const { createFlow } = await import("../../src/web/kyc/sessions/create-flow.ts")
const { readSession } = await import("../../src/web/kyc/sessions/session.ts")
const { useDuplicateCheck } = await import("../../src/web/kyc/dedup/duplicate-check.tsx")
const { keyHash } = await import("../../src/web/kyc/dedup/duplicate.ts")
const { useHandoff } = await import("../../src/web/kyc/handoffs/following.ts")
const { FlowContext } = await import("../../src/web/kyc/screens/parts.tsx")
const { useRetryWhenOnline } = await import("../../src/web/kyc/screens/failure-alert.tsx")

type Flow = ReturnType<typeof createFlow>

const consent = { id: "consent", type: "consent" }
const person = { id: "person", type: "form", fields: [{ id: "name", type: "text", required: true }] }
const doc = { id: "doc", type: "document", mrz: "off" }
const selfie = { id: "selfie", type: "selfie" }
const review = { id: "review", type: "review" }

const agreed = { items: [{ id: "terms" }] }
const named = { name: "Ada" }
const passport = (number: string | undefined) => ({
  type: "passport",
  country: "EST",
  ...(number === undefined ? {} : { number }),
  expiry: "2035-04-01",
  files: [{ id: "f1", sha256: "x", side: "front", document: "passport" }]
})

const path = "/api/kyc/public/sessions/s1"

interface Given {
  readonly steps?: ReadonlyArray<object>
  readonly rules?: ReadonlyArray<object>
  readonly config?: object
  readonly mode?: string
  /** Instead of one with `rules` and `steps`. */
  readonly workflow?: object
}

/** A session on a server, and the page that shows it. */
const begun = async ({
  config = {},
  mode = "prod",
  rules = [],
  steps = [consent, person, review],
  workflow = { v: 1, id: "w", version: 1, steps, rules }
}: Given = {}) => {
  const server = {
    progress: {} as Record<string, unknown>,
    status: "created",
    /** The answers to these requests, by the last part of their path; undefined meets no server. */
    instead: new Map<string, () => unknown>()
  }
  const all = answering((request) => {
    const { body, what } = request
    const name = what.slice(what.lastIndexOf("/") + 1)
    const other = server.instead.get(name)
    if (other !== undefined) return other()
    switch (what) {
      case `GET ${path}`:
        return {
          session: {
            mode,
            company_id: "c1",
            instance_id: "i1",
            expires_at: "2099-01-01T00:00:00.000Z",
            instance_config: config,
            instance_workflow: workflow,
            progress: server.progress,
            status: server.status
          }
        }
      case `POST ${path}/progress`:
        if (server.status === "completed") return refusal(409)
        Object.assign(server, {
          status: body.status,
          progress: { ...server.progress, ...(body.progress as object) }
        })
        return {}
      case `POST ${path}/complete`:
        if (server.status === "created" || server.status === "running") server.status = String(body.status)
        return { session: { status: server.status }, redirectUrl: "" }
      default:
        return refusal(500)
    }
  })
  /** The page, as it is after it was loaded. */
  const page = async (carried: Json = {}): Promise<Flow> => {
    const api = sessionApi("s1", "token")
    const found = await api.read()
    if (!found.ok) throw new Error(found.failure.kind)
    const session = readSession("s1", found.value.session, 0)
    return createFlow(
      session,
      api,
      { framed: false, keepsHistory: false, tell: () => {} },
      () => "en",
      carried
    )
  }
  const flow = await page()
  return {
    flow,
    page,
    server,
    /** What was asked, but for the session itself. */
    asked: () => all.filter(({ what }) => what !== `GET ${path}`),
    sent: (name: string) => all.filter(({ what }) => what.endsWith(`/${name}`)).map(({ body }) => body)
  }
}

const at = ({ store }: Flow) => store.get().current.id
const failureOf = ({ store }: Flow) => store.get().failure?.kind
const stepOf = ({ session }: Flow, id: string) => {
  const step = session.workflow.steps.find((one) => one.id === id)
  if (step === undefined) throw new Error(`There is no step ${id}`)
  return step
}
const submit = (flow: Flow, id: string, answer: Json) => flow.submit(stepOf(flow, id), answer)
const type = (flow: Flow, id: string, change: Json) =>
  flow.edit(stepOf(flow, id), (before) => ({ ...before, ...change }))

describe("a step", () => {
  it("is saved before the next one is shown, with its time, and the last one completes", async () => {
    const { flow, sent } = await begun()
    expect(at(flow)).toBe("consent")
    await submit(flow, "consent", agreed)
    expect(at(flow)).toBe("person")
    await passes(3_000)
    await submit(flow, "person", named)
    expect(at(flow)).toBe("review")
    expect(sent("progress").map(({ progress }) => progress)).toEqual([
      { s_consent: agreed, current: "person", locale: "en", rev: 1 },
      { s_person: named, current: "review", locale: "en", rev: 2 }
    ])
    await submit(flow, "review", {})
    expect(sent("complete")).toMatchObject([
      {
        status: "completed",
        result: {
          outcome: "submitted",
          failureCode: null,
          consents: [{ id: "terms" }],
          person: named,
          client: {
            camera: "unused",
            handoff: false,
            secureContext: true,
            steps: [
              { id: "consent", ms: 0, retries: 0 },
              { id: "person", ms: 3_000, retries: 0 }
            ]
          }
        }
      }
    ])
    expect(flow.store.get().over).toEqual({
      ending: { status: "completed", redirectUrl: "" },
      elsewhere: false
    })
  })

  it("that was not saved is sent as it is by then, and counts its attempts", async () => {
    const { flow, sent, server } = await begun()
    await submit(flow, "consent", agreed)
    server.instead.set("progress", () => refusal(500))
    await submit(flow, "person", named)
    expect([at(flow), failureOf(flow)]).toEqual(["person", "server"])
    server.instead.set("progress", () => refusal(429, "Too many requests", { "retry-after": "7" }))
    await flow.retry()
    expect(flow.store.get().failure).toEqual({ kind: "busy", seconds: 7 })
    // Changing the input takes the message away.
    type(flow, "person", { name: "Augusta" })
    expect(failureOf(flow)).toBeUndefined()
    server.instead.clear()
    await submit(flow, "person", { name: "Augusta" })
    expect(at(flow)).toBe("review")
    expect(sent("progress").at(-1)).toMatchObject({ progress: { s_person: { name: "Augusta" } } })
    await submit(flow, "review", {})
    expect(sent("complete")).toMatchObject([
      { result: { person: { name: "Augusta" }, client: { steps: [{}, { id: "person", retries: 2 }] } } }
    ])
  })

  it("does not end with what was typed while it was saved", async () => {
    const { flow, server } = await begun()
    await submit(flow, "consent", agreed)
    type(flow, "person", named)
    server.instead.set("progress", () => {
      server.instead.clear()
      type(flow, "person", { name: "Augusta" })
      return {}
    })
    await submit(flow, "person", named)
    expect(at(flow)).toBe("person")
    expect(flow.store.get().drafts).toEqual({ person: { name: "Augusta" } })
    expect(flow.hasUnsaved()).toBe(true)
    await submit(flow, "person", { name: "Augusta" })
    expect(at(flow)).toBe("review")
    expect(server.progress).toMatchObject({ s_person: { name: "Augusta" } })
  })

  it("changed from the review leads back to it, and a rule may skip others or end the session", async () => {
    const when = (value: string, consequence: object) => ({
      after: "person",
      if: { path: "person.name", op: "eq", value },
      // biome-ignore lint/suspicious/noThenProperty: the word of the format; nothing awaits it.
      then: consequence
    })
    const { flow, sent } = await begun({
      steps: [consent, person, doc, selfie, review],
      rules: [when("Ada", { skip: ["doc", "selfie"] }), when("Eve", { fail: "NOT_HER" })]
    })
    await submit(flow, "consent", agreed)
    await submit(flow, "person", named)
    expect(at(flow)).toBe("review")
    expect(flow.store.get().steps.map(({ id }) => id)).toEqual(["consent", "person", "review"])
    flow.goTo(stepOf(flow, "consent"))
    await submit(flow, "consent", agreed)
    expect(at(flow)).toBe("review")
    flow.goTo(stepOf(flow, "person"))
    await submit(flow, "person", { name: "Eve" })
    expect(sent("complete")).toMatchObject([
      { status: "failed", result: { failureCode: "NOT_HER", outcome: "ended", person: { name: "Eve" } } }
    ])
  })

  it.each([
    ["captcha", "Ada", { status: "failed", result: { failureCode: "NOT_HER" } }],
    ["review", "Ada", { status: "failed", result: { failureCode: "NOT_HER" } }],
    ["captcha", "Eve", { status: "completed", result: { failureCode: null } }],
    ["review", "Eve", { status: "completed", result: { failureCode: null } }]
  ])("a rule after the %s for Ada, of %s", async (after, name, expected) => {
    const rule = {
      after,
      if: { path: "person.name", op: "eq", value: "Ada" },
      // biome-ignore lint/suspicious/noThenProperty: the word of the format; nothing awaits it.
      then: { fail: "NOT_HER" }
    }
    const steps = [{ id: "captcha", type: "captcha" }, consent, person, review]
    const { flow, sent } = await begun({ steps, rules: [rule] })
    await submit(flow, "consent", agreed)
    await submit(flow, "person", { name })
    await submit(flow, "review", {})
    expect(sent("complete")).toMatchObject([expected])
  })

  it.each([
    [404, { error: "unknown" }],
    [410, { error: "expired" }],
    [409, { ending: { status: "completed", redirectUrl: "" }, elsewhere: true }]
  ])("of a session that is over meanwhile (%i) says so, and forgets all input", async (status, over) => {
    const { flow, server } = await begun()
    type(flow, "consent", { items: [] })
    server.status = "completed"
    server.instead.set("progress", () => refusal(status))
    await submit(flow, "consent", agreed)
    await settles()
    expect(flow.store.get()).toMatchObject({ over, drafts: {} })
    expect(Object.keys(sessionStorage)).toEqual([])
  })
})

describe("unfinished input", () => {
  it("is saved after a pause, and once more when the page is hidden; a failure waits for the next change", async () => {
    const { asked, flow, sent, server } = await begun({ steps: [person, review] })
    for (const name of ["A", "Ad", "Ada"]) {
      type(flow, "person", { name })
      await passes(1_999)
    }
    expect(asked()).toEqual([])
    server.instead.set("progress", () => refusal(500))
    await passes(1)
    expect(asked()).toMatchObject([{ body: { progress: { d_person: named, rev: 1 } }, keepalive: true }])
    expect([failureOf(flow), flow.hasUnsaved()]).toEqual([undefined, true])
    server.instead.clear()
    type(flow, "person", { name: "Ada L" })
    flow.saveDrafts()
    await settles()
    expect(flow.hasUnsaved()).toBe(false)
    // Nothing has changed.
    flow.saveDrafts()
    await passes(10_000)
    expect(sent("progress")).toHaveLength(2)
    // With its answer, the unfinished input goes.
    await submit(flow, "person", { name: "Ada L" })
    expect(server.progress).toMatchObject({ s_person: { name: "Ada L" }, d_person: null, rev: 3 })
  })

  it("does not overtake the step that is submitted meanwhile", async () => {
    const { flow, sent, server } = await begun({ steps: [person, review] })
    const { promise, resolve } = Promise.withResolvers<unknown>()
    server.instead.set("progress", () => promise)
    type(flow, "person", named)
    await passes(2_000)
    const submitted = submit(flow, "person", named)
    await settles()
    expect(sent("progress")).toHaveLength(1)
    server.instead.clear()
    resolve({})
    await submitted
    expect(sent("progress").map(({ progress }) => progress)).toMatchObject([
      { d_person: named, rev: 1 },
      { s_person: named, rev: 2 }
    ])
  })

  it("of a photo survives a reload although the page could not save it, unless another device has gone on", async () => {
    const { flow, page, server } = await begun({ steps: [selfie, review] })
    const files = [{ id: "f1", sha256: "x" }]
    type(flow, "selfie", { files, other: 1 })
    expect((await page()).store.get().drafts).toEqual({ selfie: { files } })
    server.progress = { rev: 5 }
    expect((await page()).store.get().drafts).toEqual({})
    server.progress = {}
    await submit(flow, "selfie", { files })
    expect(Object.keys(sessionStorage)).toEqual([])
  })
})

describe("a document number", () => {
  const steps = [doc, review]
  const hashOf = (number: string) =>
    keyHash("c1", { kind: "document", country: "EST", type: "passport", number })
  /** The answer that the page submits: the hash, and not the number. */
  const answer = (number: string) => ({
    ...passport(undefined),
    keyHash: hashOf(number),
    last3: number.slice(-3)
  })

  it("stays in the tab until the end, if it is looked for in other sessions", async () => {
    const { asked, flow, page, sent } = await begun({ steps })
    type(flow, "doc", { ...passport("K12345678"), zone: "P<EST" })
    await passes(2_000)
    flow.keepDocumentNumber("doc", "K12345678")
    await submit(flow, "doc", answer("K12345678"))
    expect(JSON.stringify(asked())).not.toMatch(/K12345678|P<EST/)
    const again = await page()
    expect([at(again), again.documentNumber("doc")]).toEqual(["review", "K12345678"])
    await submit(again, "review", {})
    expect(sent("complete")).toMatchObject([{ result: { document: { number: "K12345678" } } }])
    expect(JSON.stringify({ ...sessionStorage })).toBe("{}")
  })

  it("that is not looked for is saved with the rest", async () => {
    const { flow, server } = await begun({ steps, config: { dedup: { strategy: "person" } } })
    type(flow, "doc", passport("K12345678"))
    await passes(2_000)
    expect(server.progress.d_doc).toMatchObject({ number: "K12345678" })
  })

  it("is asked for again in a tab without it, and where the answer has another one", async () => {
    const { flow, page } = await begun({ steps })
    flow.keepDocumentNumber("doc", "K1")
    await submit(flow, "doc", answer("K1"))
    sessionStorage.clear()
    const second = await page()
    expect([at(second), second.documentNumber("doc")]).toEqual(["doc", undefined])
    // The other tab has changed it.
    flow.keepDocumentNumber("doc", "K2")
    const first = await page()
    expect([at(first), first.documentNumber("doc")]).toEqual(["doc", undefined])
  })

  it("goes to another device with the unfinished input, unless somebody saved since then", async () => {
    const { flow, page, server } = await begun({ steps })
    flow.keepDocumentNumber("doc", "K1")
    type(flow, "doc", passport("K1"))
    const carried = flow.carry()
    expect(carried).toMatchObject({ rev: 0, numbers: { doc: "K1" }, drafts: { doc: { number: "K1" } } })
    sessionStorage.clear()
    const phone = await page(carried)
    expect([phone.documentNumber("doc"), phone.store.get().drafts.doc?.expiry]).toEqual(["K1", "2035-04-01"])
    server.progress = { rev: 1 }
    sessionStorage.clear()
    expect((await page(carried)).store.get().drafts).toEqual({})
  })
})

describe("duplicates", () => {
  const identity = { kind: "document", country: "EST", type: "passport", number: "K1" } as const

  /** The document step as it is submitted, at a server that knows the document, or not. */
  const looked = async (given: Given, found: () => unknown, number = "K1") => {
    const session = await begun({ steps: [doc, review], ...given })
    session.server.instead.set("dedup-check", found)
    const { flow } = session
    type(flow, "doc", passport(number))
    const check = await used(
      () => useDuplicateCheck(stepOf(flow, "doc")),
      ({ children }) => createElement(FlowContext.Provider, { value: flow, children })
    )
    const hand = async () => {
      await check.now.submit({ ...identity, number }, (found) => ({ ...passport(undefined), ...found }))
      await settles()
    }
    await hand()
    return { ...session, check, hand }
  }

  const known = () => ({ matchFound: true })
  const limit = () => refusal(429, "Too many dedup checks")
  const inTest = { config: { dedup: { onMatch: "silent" } }, mode: "dev" }

  it.each([
    ["silent", known, { matchFound: true, action: "none" }],
    ["review", known, { matchFound: true, action: "review" }],
    ["silent", () => ({ matchFound: false }), { matchFound: false, action: "none" }],
    // Nobody knows, so a person decides, but the end user is not stopped.
    ["silent", limit, { matchFound: null, action: "none" }],
    ["block", limit, { matchFound: null, action: "review" }]
  ])("%s: goes on with what is known", async (onMatch, found, dedup) => {
    const { flow, sent, server } = await looked({ config: { dedup: { onMatch } } }, found)
    expect(at(flow)).toBe("review")
    expect(sent("dedup-check")).toMatchObject([{ keyHash: keyHash("c1", identity) }])
    expect(server.progress.s_doc).toMatchObject({ keyHash: keyHash("c1", identity), dedup })
    await submit(flow, "review", {})
    expect(sent("complete")).toMatchObject([{ status: "completed", result: { dedup } }])
  })

  it("warn: asks first, as long as the input is the same", async () => {
    const { check, flow, hand, server } = await looked({ config: { dedup: { onMatch: "warn" } } }, known)
    expect(at(flow)).toBe("doc")
    const dedup = { matchFound: true, action: "warned" }
    expect(check.now.match).toMatchObject({ dedup })
    type(flow, "doc", { number: "K2" })
    await settles()
    expect(check.now.match).toBeUndefined()
    await hand()
    await submit(flow, "doc", check.now.match ?? {})
    expect(server.progress.s_doc).toMatchObject({ dedup })
    expect(at(flow)).toBe("review")
  })

  it("block: ends the session", async () => {
    const { sent } = await looked({ config: { dedup: { onMatch: "block" } } }, known)
    const result = { failureCode: "DUPLICATE_IDENTITY", dedup: { matchFound: true, action: "blocked" } }
    expect(sent("complete")).toMatchObject([{ status: "failed", result }])
  })

  it.each([
    ["TEST-OK", false, "completed", null],
    ["test dup", true, "completed", null],
    ["Test-Fail", false, "failed", "TEST_FAIL"]
  ])("in test mode, %s is no question to the server", async (number, matchFound, status, failureCode) => {
    const { flow, sent, server } = await looked(inTest, known, number)
    expect(sent("dedup-check")).toEqual([])
    expect(server.progress.s_doc).toMatchObject({ dedup: { matchFound } })
    flow.keepDocumentNumber("doc", number)
    await submit(flow, "review", {})
    expect(sent("complete")).toMatchObject([{ status, result: { failureCode } }])
  })
})

describe("a captcha", () => {
  const solved = async (required: boolean | undefined, steps: ReadonlyArray<object> = [consent]) => {
    const session = await begun({ config: { captcha: { required } }, steps })
    session.server.instead.set("challenge", () => refusal(500))
    return session
  }

  it("that is required and cannot be solved stops the end, which can be tried again", async () => {
    const { asked, flow, sent } = await solved(true)
    await submit(flow, "consent", agreed)
    expect(failureOf(flow)).toBe("captcha")
    expect(sent("complete")).toEqual([])
    const before = asked().length
    await flow.retry()
    expect(asked().length).toBeGreaterThan(before)
    expect(failureOf(flow)).toBe("captcha")
  })

  it("is solved once, handed in once the end user has acted, and again with a new challenge after a failure", async () => {
    const { asked, flow, sent, server } = await solved(true)
    let challenges = 0
    vi.stubGlobal(
      "Worker",
      class {
        onmessage: ((event: { readonly data: unknown }) => void) | undefined
        postMessage(challenge: unknown) {
          queueMicrotask(() => this.onmessage?.({ data: { of: challenge } }))
        }
        terminate() {}
      }
    )
    server.instead.set("challenge", () => ({ challenge: ++challenges }))
    server.instead.set("redeem", () => refusal(500))
    await passes(10_000)
    expect(asked().map(({ what }) => what)).toEqual(["GET /api/kyc/captcha/challenge"])
    await submit(flow, "consent", agreed)
    expect(failureOf(flow)).toBe("captcha")
    server.instead.set("redeem", () => ({ token: "passed" }))
    server.instead.set("verify", () => ({ success: true }))
    await flow.retry()
    expect(sent("redeem").at(-1)).toEqual({ challenge: challenges, solution: { of: challenges } })
    expect(sent("verify")).toEqual([{ token: "token", captchaToken: "passed", siteKey: "i1" }])
    expect(sent("complete")).toMatchObject([{ status: "completed" }])
  })

  it("that is a step only does not stop the end, and one that nobody asks for is not solved", async () => {
    const none = await solved(false)
    await submit(none.flow, "consent", agreed)
    await passes(10_000)
    expect(none.asked().map(({ what }) => what)).toEqual([`POST ${path}/progress`, `POST ${path}/complete`])
    const optional = await solved(undefined, [{ id: "captcha", type: "captcha" }, consent])
    await submit(optional.flow, "consent", agreed)
    expect(optional.sent("complete")).toMatchObject([{ status: "completed" }])
  })
})

describe("a handoff", () => {
  const waiting = { handoff: { id: "h1", status: "waiting", device: "unknown" } }
  const claimed = { handoff: { id: "h1", status: "claimed", device: "iphone", code: "42" } }

  /** The first device, with its code shown, and where the handoff is by now. */
  const shown = async () => {
    const session = await begun({ steps: [selfie, review] })
    const { flow, server } = session
    server.instead.set("handoffs", () => ({ handoff: { id: "h1" }, url: "https://x" }))
    server.instead.set("h1", () => waiting)
    await flow.handOff()
    const page = await used(() => useHandoff(flow))
    return {
      ...session,
      page,
      looks: () => session.asked().filter(({ what }) => what.endsWith("/h1")).length
    }
  }

  it("is looked at every two seconds, more rarely in a hidden tab, and at once when it is shown; a lost look is no end", async () => {
    const { flow, looks, page, server } = await shown()
    expect(page.now.state).toMatchObject({ kind: "shown", made: { url: "https://x" } })
    await passes(4_000)
    expect(looks()).toBe(2)
    server.instead.set("h1", () => refusal(500))
    await passes(2_000)
    expect(page.now.state).toMatchObject({ followed: { status: "waiting" } })
    server.instead.set("h1", () => claimed)
    await passes(2_000)
    expect(page.now.state).toMatchObject({ followed: { status: "claimed", device: "iphone", code: "42" } })
    seen("hidden")
    await passes(2_000)
    expect(looks()).toBe(5)
    await passes(9_999)
    expect(looks()).toBe(5)
    seen("visible")
    await settles()
    expect(looks()).toBe(6)
    server.instead.set("h1", () => ({ handoff: { status: "confirmed" } }))
    await passes(2_000)
    expect(flow.store.get().handoff).toBe("away")
    await passes(60_000)
    expect(looks()).toBe(7)
  })

  it.each(["refused", "cancelled", "expired"])(
    "that is %s is followed no longer, and can be made anew",
    async (status) => {
      const { looks, page, sent, server } = await shown()
      server.instead.set("h1", () => ({ handoff: { status } }))
      await passes(60_000)
      expect(page.now.state).toMatchObject({ followed: { status } })
      expect(looks()).toBe(1)
      page.now.renew()
      await settles()
      expect(page.now.state).toMatchObject({ kind: "shown", followed: { status: "waiting" } })
      expect(sent("handoffs")).toHaveLength(2)
    }
  )

  it.each([
    [409, "the other device was faster", false, "away"],
    [404, "it is gone", true, "under way"]
  ])("is withdrawn; after %i, %s", async (status, _, isHere, handoff) => {
    const { flow, page, server } = await shown()
    server.instead.set("cancel", () => refusal(status))
    expect(await page.now.cancel()).toBe(isHere)
    expect(flow.store.get().handoff).toBe(handoff)
    // Its number is nobody's any more.
    server.instead.set("h1", () => claimed)
    await passes(4_000)
    expect(page.now.state).toMatchObject({ followed: { status: "waiting" } })
  })
})

describe("without a connection", () => {
  it("a failure is tried again every five seconds while the browser reports one, and as soon as it is back", async () => {
    vi.stubGlobal("navigator", { onLine: true })
    let tries = 0
    const retry = () => void tries++
    const waiting = await used(() => useRetryWhenOnline(true, retry))
    await passes(10_000)
    expect(tries).toBe(2)
    happens("online")
    expect(tries).toBe(3)
    vi.stubGlobal("navigator", { onLine: false })
    await passes(10_000)
    expect(tries).toBe(3)
    waiting.unmount()
    await used(() => useRetryWhenOnline(false, retry))
    happens("online")
    await passes(60_000)
    expect(tries).toBe(3)
  })
})
