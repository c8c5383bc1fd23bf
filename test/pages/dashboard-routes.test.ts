/** The parts of the dashboard: its features' pages, and the contract's routes. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { addressOf, call } from "../../src/web/dashboard/common/call.ts"

const sources = `${import.meta.dirname}/../../src/web/dashboard`

it("every page of a feature is in the dashboard's one list", async () => {
  const list = await Bun.file(`${sources}/navigation.ts`).text()
  const imported = [...list.matchAll(/^import \{ (.*) \} from "\.\/(.*\/pages\.ts)"$/gm)].flatMap(
    ([, names = "", file]) => names.split(", ").map((name) => `${file} ${name}`)
  )
  const exported: Array<string> = []
  for await (const file of new Bun.Glob("**/pages.ts").scan(sources)) {
    const source = await Bun.file(`${sources}/${file}`).text()
    for (const [, name] of source.matchAll(/^export const (\w+): NavigationEntry/gm)) {
      exported.push(`${file} ${name}`)
      expect(list, file).toMatch(new RegExp(`^  ${name},?$`, "m"))
    }
  }
  expect(exported.length).toBeGreaterThan(9)
  expect(imported.sort()).toEqual(exported.sort())
})

describe("calls by the names of routes", () => {
  beforeAll(() => {
    vi.stubGlobal("contractRoutes", {
      "members.list": ["GET", "/members"],
      "members.remove": ["POST", "/members/:id/remove"],
      "kyc-partner-files.read": ["GET", "/sessions/:id/files/:fileId"],
      "audit-events.list": ["GET", "/events"]
    })
  })
  afterAll(() => void vi.unstubAllGlobals())

  it("a path contains its parameters, each within its segment, and no empty query", () => {
    expect(addressOf("members.list")).toBe("/members")
    expect(addressOf("kyc-partner-files.read", { path: { id: "a/../b?c", fileId: "d e" } })).toBe(
      "/sessions/a%2F..%2Fb%3Fc/files/d%20e"
    )
    expect(
      addressOf("audit-events.list", { query: { action: "a&b", actor: "", limit: 5, cursor: undefined } })
    ).toBe("/events?action=a%26b&limit=5")
    expect(addressOf("audit-events.list", { query: {} })).toBe("/events")
  })

  it("the contract determines the input of a call", () => {
    const wrong = [
      // @ts-expect-error No route has this name.
      () => call("members.vanish"),
      // @ts-expect-error The path has a parameter.
      () => call("members.remove"),
      // @ts-expect-error It is called otherwise.
      () => call("members.remove", { path: { member: "x" } }),
      // @ts-expect-error The body has a field that is missing here.
      () => call("members.changeRole", { path: { id: "x" }, body: {} }),
      // @ts-expect-error Nothing is asked for by this.
      () => call("audit-events.list", { query: { before: "x" } }),
      // @ts-expect-error A route without parameters takes no path.
      () => call("members.list", { path: { id: "x" } })
    ]
    expect(wrong).toHaveLength(6)
  })
})
