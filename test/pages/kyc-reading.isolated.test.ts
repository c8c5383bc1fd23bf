/** Which photos of a document are read, by the browser or by the server; and small things that the KYC page keeps or checks. */
import { CompactSign } from "jose"
import { describe, expect, it, vi } from "vitest"
import { newKey, publicKey } from "../../src/kyc/receipts/signature.ts"
import type { Answer, Fields } from "../../src/web/kyc/reading/messages.ts"
import { answering, passes, refusal, settles, used, withoutBrowser } from "../support/web/page.ts"

withoutBrowser()
const { check } = await import("../../src/web/kyc/receipt/checking.ts")
const { useReading } = await import("../../src/web/kyc/reading/use-reading.ts")
const { sessionApi } = await import("../../src/web/kyc/api.ts")
const { browserMark } = await import("../../src/web/kyc/sessions/browser-mark.ts")
const { serverReading } = await import("../../src/web/kyc/sessions/server-reading.ts")

const read: Answer = { fields: { number: "L898902C3", country: "EST" }, whole: true }
const nothing: Answer = { fields: {}, whole: false }

describe("a photo of a document", () => {
  /** A page with a worker that answers when the test says so, and what it fills in. */
  const reading = async (
    type: "passport" | "driving_licence" = "passport",
    countries: ReadonlyArray<string> = []
  ) => {
    const questions: Array<(answer: Answer) => void> = []
    class FakeWorker {
      onmessage: ((event: { readonly data: Answer }) => void) | undefined
      postMessage() {
        questions.push((data) => this.onmessage?.({ data }))
      }
      terminate() {}
    }
    vi.stubGlobal("Worker", FakeWorker)
    vi.stubGlobal("OffscreenCanvas", class {})
    vi.stubGlobal("createImageBitmap", async () => ({}))
    const filled: Array<Fields> = []
    const waits: Array<boolean> = []
    const asked: Array<string> = []
    const server = Promise.withResolvers<Fields>()
    const use = {
      read: (fields: Fields) => void filled.push(fields),
      wait: (waiting: boolean) => void waits.push(waiting),
      askServer: (fileId: string) => {
        asked.push(fileId)
        return server.promise
      }
    }
    return {
      asked,
      filled,
      questions,
      server,
      use,
      waits,
      start: () => used(() => useReading(type, countries, use))
    }
  }

  const photo = new Blob(["x"])

  it("is read by the browser, and the server is not asked", async () => {
    const { asked, filled, questions, start } = await reading()
    const { now } = await start()
    now?.look(photo)
    now?.sent("f1")
    await passes(4_999)
    questions[0]?.(read)
    await passes(60_000)
    expect(filled).toEqual([read.fields])
    expect(asked).toEqual([])
  })

  it.each([
    ["finds nothing", 0, (answer: (found: Answer) => void) => answer(nothing)],
    ["takes more than five seconds", 5_000, () => {}]
  ])("is read by the server if the browser %s, and the page says so meanwhile", async (_, after, answer) => {
    const { asked, filled, questions, server, start, waits } = await reading()
    const { now } = await start()
    now?.look(photo)
    now?.sent("f1")
    await settles()
    for (const question of questions) answer(question)
    await passes(after)
    expect([asked, waits.at(-1)]).toEqual([["f1"], true])
    server.resolve(read.fields)
    await settles()
    expect([filled.at(-1), waits.at(-1)]).toEqual([read.fields, false])
  })

  it.each(["OffscreenCanvas", "Worker"])(
    "is read by the server at once if the browser has no %s",
    async (missing) => {
      const { asked, start } = await reading()
      vi.stubGlobal(missing, undefined)
      const { now } = await start()
      expect(now?.isDone()).toBe(true)
      now?.look(photo)
      now?.sent("f1")
      await settles()
      expect(asked).toEqual(["f1"])
    }
  )

  it("of a licence is only read where licences have barcodes", async () => {
    expect((await (await reading("driving_licence", ["USA"])).start()).now).toBeDefined()
    expect((await (await reading("driving_licence", ["EST"])).start()).now).toBeUndefined()
  })
})

describe("the server's reading", () => {
  const path = "/api/kyc/public/sessions/s1/files/f1/reading"
  const done = { reading: { status: "done", fields: { document_number: "L898902C3", surname: "Eriksson" } } }
  const fields = { number: "L898902C3", familyName: "Eriksson" }

  it.each([
    ["is there at once", [done], fields],
    [
      "comes later, although a question was lost",
      [{ reading: { status: "running" } }, undefined, done],
      fields
    ],
    ["is refused, as for an instance without checks of photos", [refusal(403)], {}],
    ["fails", [{ reading: { status: "running" } }, refusal(500)], {}]
  ])("%s", async (_, answers, expected) => {
    const left = [...answers]
    const asked = answering(() => left.shift())
    const found = serverReading(sessionApi("s1", "token"))("f1")
    await passes(10_000)
    expect(await found).toEqual(expected)
    expect(asked.map(({ what }) => what)).toEqual(
      answers.map((__, index) => `${index === 0 ? "POST" : "GET"} ${path}`)
    )
  })

  it("is not waited for longer than half a minute", async () => {
    const asked = answering(() => ({ reading: { status: "running" } }))
    const found = serverReading(sessionApi("s1", "token"))("f1")
    await passes(60_000)
    expect(await found).toEqual({})
    expect(asked).toHaveLength(31)
  })
})

describe("the mark of the browser (docs/privacy.md)", () => {
  const kept = () => Object.keys(localStorage)

  it("is the same in each session of an instance for 30 days, another one in each instance, and only where it is asked for", async () => {
    expect(browserMark("i1", false)).toBeUndefined()
    expect(kept()).toEqual([])
    const mark = browserMark("i1", true)
    expect(mark).toMatch(/^[0-9a-f]{32}$/)
    await passes(30 * 86_400_000 - 1)
    expect(browserMark("i1", true)).toBe(mark)
    expect(browserMark("i2", true)).not.toBe(mark)
    await passes(1)
    // Any session removes what is over.
    browserMark("i2", true)
    expect(kept()).toEqual(["kyc:browser:i2"])
    expect(browserMark("i1", true)).not.toBe(mark)
    browserMark("i1", false)
    expect(kept()).toEqual(["kyc:browser:i2"])
  })

  it.each([
    "{",
    `{"mark":"${"a".repeat(32)}","until":1e308}`,
    `{"mark":"short","until":${Date.now() + 1e9}}`
  ])("replaces what another program has left there: %s", (damaged) => {
    localStorage.setItem("kyc:browser:i1", damaged)
    const mark = browserMark("i1", true)
    expect(mark).toMatch(/^[0-9a-f]{32}$/)
    expect(damaged).not.toContain(mark)
    expect(browserMark("i1", true)).toBe(mark)
  })

  it("is not made in a frame of another page, nor where storage is blocked", () => {
    vi.stubGlobal("window", { parent: {} })
    expect(browserMark("i1", true)).toBeUndefined()
    expect(kept()).toEqual([])
    vi.stubGlobal("localStorage", undefined)
    expect(browserMark("i1", true)).toBeUndefined()
  })
})

describe("a receipt", () => {
  const [own, other] = [newKey(), newKey()]
  const keys = { keys: [other, own].map(({ x }, place) => publicKey(`key-${place}`, x)) }
  const receipt = { v: 1, session: { id: "s1" } }

  /** Without the id of its key. */
  const signed = (key: ReturnType<typeof newKey>, typ = "doorlock-receipt+jws") =>
    new CompactSign(new TextEncoder().encode(JSON.stringify(receipt)))
      .setProtectedHeader({ alg: "EdDSA", typ })
      .sign({ ...key, alg: "EdDSA" })

  it("is genuine if any of the published keys has signed it as one", async () => {
    const asked = answering(() => keys)
    const text = await signed(own)
    expect(await check(`${text}\n`)).toEqual({ kind: "valid", receipt })
    expect(await check(await signed(other))).toEqual({ kind: "valid", receipt })
    const [head, , signature] = text.split(".")
    const altered = Buffer.from(JSON.stringify({ ...receipt, v: 2 })).toString("base64url")
    for (const none of [
      await signed(newKey()),
      await signed(own, "jwt"),
      `${head}.${altered}.${signature}`,
      "none"
    ]) {
      expect(await check(none)).toEqual({ kind: "invalid" })
    }
    // It is sent nowhere.
    expect(new Set(asked.map(({ what }) => what))).toEqual(
      new Set(["GET /.well-known/doorlock-receipts.json"])
    )
  })

  it.each([undefined, refusal(500)])("cannot be checked without the keys", async (answer) => {
    answering(() => answer)
    expect(await check(await signed(own))).toEqual({ kind: "unchecked" })
  })
})
