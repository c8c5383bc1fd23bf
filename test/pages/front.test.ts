/** The front page, and what is looked for at the root of a site. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { exchange } from "../support/http/raw.ts"
import { type RunningServer, startServer, TestServer } from "../support/server.ts"
import { stoppedClock } from "../support/stopped-clock.ts"
import { suite } from "../support/suite.ts"

const get = (path: string, headers: Record<string, string> = {}) =>
  Effect.flatMap(TestServer, ({ url }) => Effect.promise(() => fetch(url + path, { headers })))

const text = (response: Response) => Effect.promise(() => response.text())

/** Every address that the page names. */
const addresses = (html: string) =>
  [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address]) => address ?? "")

suite(TestServer.layer)("at the root of the site", (it) => {
  it.effect("the front page has no script and no inline style, and its policy permits none", () =>
    Effect.gen(function* () {
      const response = yield* get("/")
      expect(response.status).toBe(200)
      expect(response.headers.get("content-security-policy")).toBe(
        "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; object-src 'none'; frame-ancestors 'none'"
      )
      const html = yield* text(response)
      expect(html).not.toMatch(/<script|<style|\sstyle=|\son\w+=/)
    })
  )

  it.effect("the front page links to sign-in, docs and health, and only to addresses that respond", () =>
    Effect.gen(function* () {
      const named = addresses(yield* Effect.flatMap(get("/"), text))
      expect(named).toEqual(
        expect.arrayContaining(["/dashboard", "/dashboard/sign-up", "/docs", "/openapi.json", "/readyz"])
      )
      for (const address of named) {
        expect(address).toMatch(/^\/(?!\/)/)
        expect((yield* get(address)).status, address).toBe(200)
      }
    })
  )

  for (const [path, contentType, beginning] of [
    ["/favicon.ico", "image/x-icon", "\u0000\u0000\u0001\u0000\u0003\u0000"],
    ["/favicon.svg", "image/svg+xml", "<svg "],
    ["/apple-touch-icon.png", "image/png", "\ufffdPNG"],
    ["/robots.txt", "text/plain; charset=utf-8", "User-agent: *\nDisallow: /api/\n"]
  ] as const) {
    it.effect(`${path} supports GET and HEAD, is cached for a minute, and has an ETag`, () =>
      Effect.gen(function* () {
        const response = yield* get(path)
        const etag = response.headers.get("etag") ?? ""
        expect(response.status).toBe(200)
        expect(response.headers.get("content-type")).toBe(contentType)
        expect(response.headers.get("cache-control")).toBe("public, max-age=60")
        expect((yield* text(response)).startsWith(beginning)).toBe(true)
        expect((yield* get(path, { "if-none-match": etag })).status).toBe(304)
        const head = yield* exchange(yield* TestServer, `HEAD ${path}`)
        expect([head.status, head.body, head.headers.get("content-type")]).toEqual([200, "", contentType])
      })
    )
  }

  it.effect("robots may read the pages, which say themselves whether they may be indexed", () =>
    Effect.gen(function* () {
      const refused = [
        ...(yield* Effect.flatMap(get("/robots.txt"), text)).matchAll(/^Disallow: (.*)$/gm)
      ].map(([, path]) => path)
      expect(refused).toEqual(["/api/", "/gateway/"])
      expect((yield* get("/dashboard")).headers.get("x-robots-tag")).toBe("noindex")
      expect((yield* get("/")).headers.has("x-robots-tag")).toBe(false)
    })
  )
})

/** The fields of `security.txt`, which has to have each once (RFC 9116, section 2.5). */
const securityFields = ({ url }: RunningServer) =>
  Effect.promise(async () => {
    const response = await fetch(`${url}/.well-known/security.txt`)
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      "text/plain; charset=utf-8"
    ])
    return (await response.text()).match(/^Contact: (\S+)\nExpires: (\S+)\n$/)?.slice(1) ?? []
  })

it.scopedLive(
  "as the settings say: a contact in security.txt for half a year, no sign-up, an escaped address",
  () =>
    Effect.gen(function* () {
      const { by, pass } = stoppedClock(Date.parse("2027-01-01T23:59:59.999Z"))
      const server = yield* by(
        startServer({
          SECURITY_CONTACT: "security@example.com",
          SIGNUP: "closed",
          BASE_URL: "https://doorlock.test/a<b>&c"
        })
      )
      expect(yield* securityFields(server)).toEqual([
        "mailto:security@example.com",
        "2027-06-30T00:00:00.000Z"
      ])
      yield* pass(1)
      expect(yield* securityFields(server)).toEqual([
        "mailto:security@example.com",
        "2027-07-01T00:00:00.000Z"
      ])
      const post = yield* exchange(server, "POST /.well-known/security.txt")
      expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"])

      const response = yield* Effect.promise(() => fetch(server.url))
      const html = yield* text(response)
      expect(addresses(html)).toContain("/.well-known/security.txt")
      expect(addresses(html)).not.toContain("/dashboard/sign-up")
      expect(html).toContain("curl https://doorlock.test/a%3Cb%3E&amp;c/api/kyc/public/sessions")
      expect(response.headers.get("content-security-policy")).toMatch(/; upgrade-insecure-requests$/)
    })
)
