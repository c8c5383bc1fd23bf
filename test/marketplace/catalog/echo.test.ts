/** The upstream of the demo API. */
import { describe, expect, it } from "vitest"
import { echo } from "../../../src/marketplace/catalog/echo-service.ts"

const ask = async (path: string, init: RequestInit = {}) => {
  const response = await echo(new Request(`http://echo.test/base${path}`, init), "/base")
  expect(response.headers.get("content-type")).toBe("application/json")
  return { status: response.status, body: await response.json(), headers: response.headers }
}

it("/v1/health: ok", async () => {
  expect(await ask("/v1/health?a=1")).toMatchObject({ status: 200, body: { status: "ok" } })
  const refused = await ask("/v1/health", { method: "POST" })
  expect([refused.status, refused.body, refused.headers.get("allow")]).toEqual([
    405,
    { error: "Method not allowed" },
    "GET, HEAD"
  ])
})

describe("/v1/echo", () => {
  it.each(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"])(
    "%s: returns what arrived",
    async (method) => {
      const body = method === "GET" ? undefined : "ä body"
      const { body: answer, status } = await ask("/v1/echo/a%2Fb//c?x=1&x=%20", {
        method,
        headers: { "X-Test": "a", Accept: "b" },
        ...(body === undefined ? {} : { body })
      })
      expect([status, answer]).toEqual([
        200,
        {
          method,
          path: "/v1/echo/a%2Fb//c",
          query: "?x=1&x=%20",
          headers: expect.objectContaining({ "x-test": "a", accept: "b" }),
          body: body ?? ""
        }
      ])
    }
  )

  it("a body of 16 KiB is returned; a longer one is refused and not read to its end", async () => {
    const most = await ask("/v1/echo", { method: "POST", body: "x".repeat(16_384) })
    expect([most.status, most.body.body.length]).toEqual([200, 16_384])
    let sent = 0
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += 65_536
        controller.enqueue(new Uint8Array(65_536))
      }
    })
    expect(await ask("/v1/echo", { method: "POST", body: endless })).toMatchObject({
      status: 413,
      body: { error: "A body has at most 16384 bytes" }
    })
    expect(sent).toBeLessThan(1_000_000)
  })
})

it("outside its base path: 404", async () => {
  for (const path of ["/v1/health", "/v1/echo", "/basement/v1/health", "/other/v1/health"]) {
    const { status } = await echo(new Request(`http://echo.test${path}`), "/base")
    expect([path, status]).toEqual([path, 404])
  }
})
