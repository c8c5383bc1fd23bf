/** The parts of the dashboard: its features' pages, and its calls. */
import * as HttpApi from "@effect/platform/HttpApi"
import { afterEach, describe, expect, it, vi } from "vitest"
import { Api } from "../../src/api.ts"
import { chosen, doorlock, failureOf, links } from "../../src/web/dashboard/common/call.ts"
import { read } from "../../src/web/dashboard/kyc/evidence/reading.ts"

describe("calls", () => {
  afterEach(() => {
    vi.unstubAllGlobals()
    vi.useRealTimers()
  })

  it("links lead to routes of the contract, with each id within its segment, and no empty query", () => {
    const paths: Array<string> = []
    HttpApi.reflect(Api, {
      onGroup: () => {},
      onEndpoint: ({ endpoint }) => {
        if (endpoint.method === "GET") paths.push(endpoint.path)
      }
    })
    expect(links.csv({})).toBe("/api/kyc/sessions.csv")
    expect(links.csv({ status: "a&b", from: "", to: undefined })).toBe("/api/kyc/sessions.csv?status=a%26b")
    expect(links.file("a/../b?c", "d e")).toBe("/api/kyc/sessions/a%2F..%2Fb%3Fc/files/d%20e")
    const all = [links.csv({}), links.export(":id"), links.file(":id", ":fileId"), links.openapi(":apiId")]
    expect(paths).toEqual(expect.arrayContaining(all.map(decodeURIComponent)))
    expect(chosen({ action: "a", actor: "", cursor: undefined, limit: 5 })).toEqual({ action: "a", limit: 5 })
  })

  it("failures have the words for the user, and the API's code", async () => {
    const answers = [
      Response.json(
        { error: "Key not found" },
        { status: 404, headers: { "doorlock-error": "key-not-found" } }
      ),
      Response.json({ error: "Too many requests" }, { status: 429, headers: { "retry-after": "7" } }),
      Response.json({ error: "Too many requests" }, { status: 429, headers: { "retry-after": "1" } }),
      Response.json({ error: "Too many requests" }, { status: 429, headers: { "retry-after": "899" } }),
      new Response("<h1>Bad gateway</h1>", { status: 502 }),
      Promise.reject(new TypeError("Failed to fetch"))
    ]
    vi.stubGlobal("fetch", () => answers.shift())
    const failure = () => doorlock.apiKeys.list().then(() => undefined, failureOf)
    expect(await failure()).toMatchObject({ status: 404, message: "Key not found", code: "key-not-found" })
    for (const wait of ["7 seconds", "1 second", "15 minutes"]) {
      const message = `Too many attempts. Try again in ${wait}.`
      expect(await failure()).toMatchObject({ status: 429, message })
    }
    expect(await failure()).toMatchObject({ status: 502, message: "The server answered with 502." })
    const unreachable = "doorlock cannot be reached. Check your connection, then try again."
    expect(await failure()).toMatchObject({ status: 0, message: unreachable })
    expect(failureOf(new Error("A bug"))).toMatchObject({
      status: 0,
      message: expect.stringMatching(/Reload/)
    })
    const broken = new Response(new ReadableStream({ pull: (stream) => stream.error(new Error("Lost")) }))
    const lost = await read(broken, () => {}).then(() => undefined, failureOf)
    expect(lost).toMatchObject({ status: 0, message: unreachable })
  })

  it("a call that is never answered fails; the body of an answer may take as long as it needs", async () => {
    vi.useFakeTimers()
    const body = Promise.withResolvers<void>()
    const slow = new ReadableStream({
      async pull(stream) {
        await body.promise
        stream.enqueue(new TextEncoder().encode("[]"))
        stream.close()
      }
    })
    const signals: Array<AbortSignal> = []
    vi.stubGlobal("fetch", (path: string, { signal }: { readonly signal: AbortSignal }) => {
      signals.push(signal)
      return path.endsWith("/sessions")
        ? Promise.resolve(new Response(slow))
        : new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)))
    })
    const unanswered = doorlock.apiKeys.list().then(() => undefined, failureOf)
    const slowly = doorlock.account.listSessions()
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(await unanswered).toMatchObject({ status: 0, message: expect.stringMatching(/cannot be reached/) })
    body.resolve()
    expect(await slowly).toEqual([])
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false])
  })
})
