/** What a client sees of an upstream's answer: all of it, except what acts on the gateway's own origin. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { answering, call, linesOf, type Published, TestGateway } from "../support/marketplace/gateway.ts"
import { suite } from "../support/suite.ts"
import { wordsOf } from "../support/words.ts"

suite(TestGateway.layer)("what a client sees", (it) => {
  /** The answer to a call whose upstream answers with these field lines and the body `ok`. */
  const seen = (lines: ReadonlyArray<string>, api: Omit<Published, "upstream"> = {}, status = "200 OK") =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const upstream = yield* answering(
        `${[`HTTP/1.1 ${status}`, "Content-Length: 2", ...lines].join("\r\n")}\r\n\r\nok`
      )
      return yield* call(gateway, `${gateway.publish({ upstream: upstream.url, ...api })}/x/y`)
    })

  it.scoped("the upstream's own fields, byte for byte, and no Server header of doorlock", () =>
    Effect.gen(function* () {
      const answer = yield* seen(["Content-Type: a/b; c=d", 'ETag: W/"x"', "X-Own: a  b \xe9", "Server: u/1"])
      expect(linesOf(answer, "content-type")).toEqual(["a/b; c=d"])
      expect(linesOf(answer, "etag")).toEqual(['W/"x"'])
      expect(linesOf(answer, "x-own")).toEqual(["a  b \xe9"])
      expect(linesOf(answer, "server")).toEqual(["u/1"])
      expect(linesOf(answer, "proxy-status")).toEqual([])
    })
  )

  it.scoped("nothing added: no Content-Type if the upstream sent none, and the upstream's Date", () =>
    Effect.gen(function* () {
      const answer = yield* seen(["Date: Mon, 01 Jan 2024 00:00:00 GMT"])
      expect(linesOf(answer, "content-type")).toEqual([])
      expect(linesOf(yield* seen(["Content-Type:"]), "content-type")).toEqual([""])
      expect(linesOf(answer, "content-length")).toEqual(["2"])
      expect(linesOf(answer, "date")).toEqual(["Mon, 01 Jan 2024 00:00:00 GMT"])
      expect(answer.body.toString()).toBe("ok")
    })
  )

  it.scoped("no field that any Connection line names", () =>
    Effect.gen(function* () {
      const answer = yield* seen(["Connection:", "Connection: X-Hop, close", "X-Hop: 1", "X-Kept: 2"])
      expect(linesOf(answer, "x-hop")).toEqual([])
      expect(linesOf(answer, "x-kept")).toEqual(["2"])
    })
  )

  it.scoped("Connection cannot remove what the gateway adds", () =>
    Effect.gen(function* () {
      const answer = yield* seen([
        "Connection: content-security-policy, x-content-type-options, vary, cache-control, x-request-id, content-length"
      ])
      expect(linesOf(answer, "content-security-policy")).toEqual(["sandbox"])
      expect(linesOf(answer, "x-content-type-options")).toEqual(["nosniff"])
      expect(linesOf(answer, "vary")).toEqual(["x-api-key"])
      expect(linesOf(answer, "cache-control")).toEqual(["private"])
      expect(linesOf(answer, "x-request-id")).toHaveLength(1)
      expect(answer.body.toString()).toBe("ok")
    })
  )

  it.scoped("without fields that act on the gateway's origin, or on what is in front of it", () =>
    Effect.gen(function* () {
      const names = wordsOf(`
        Keep-Alive Proxy-Authenticate Proxy-Connection TE Trailer Upgrade Set-Cookie Set-Cookie2
        Clear-Site-Data Service-Worker-Allowed Alt-Svc Strict-Transport-Security NEL Report-To
        Reporting-Endpoints Refresh Accept-CH Critical-CH Expect-CT Origin-Agent-Cluster Public-Key-Pins
        Set-Login Use-As-Dictionary Avail-Dictionary Sec-Session-Registration Sec-Session-Challenge
        Secure-Session-Registration Secure-Session-Challenge Activate-Storage-Access Speculation-Rules
        No-Vary-Search Proxy-Status Doorlock-Error X-Accel-Redirect X-Sendfile Surrogate-Control
        CDN-Cache-Control Access-Control-Allow-Credentials Access-Control-Allow-Headers
      `)
      const answer = yield* seen(names.map((name) => `${name}: x`))
      expect(answer.body.toString()).toBe("ok")
      for (const name of names) expect(linesOf(answer, name), name).toEqual([])
    })
  )

  it.scoped("the gateway's own CORS headers", () =>
    Effect.gen(function* () {
      const answer = yield* seen([
        "Access-Control-Allow-Origin: https://a.example",
        "Access-Control-Expose-Headers: x"
      ])
      expect(linesOf(answer, "access-control-allow-origin")).toEqual(["*"])
      expect(linesOf(answer, "access-control-expose-headers")).toEqual(["*"])
    })
  )

  it.scoped("the upstream's security policy and the gateway's", () =>
    Effect.gen(function* () {
      const answer = yield* seen([
        "Content-Security-Policy: default-src 'self'",
        "X-Content-Type-Options: none"
      ])
      expect(linesOf(answer, "content-security-policy")).toEqual(["default-src 'self', sandbox"])
      expect(linesOf(answer, "x-content-type-options")).toEqual(["nosniff"])
    })
  )

  it.scoped("fields on several lines keep every value, in order", () =>
    Effect.gen(function* () {
      const answer = yield* seen(["Link: <a>", "Link: <b>", "WWW-Authenticate: A x=1", "WWW-Authenticate: B"])
      expect(linesOf(answer, "link").join(", ")).toBe("<a>, <b>")
      expect(linesOf(answer, "www-authenticate").join(", ")).toBe("A x=1, B")
    })
  )

  /** Headers that only doorlock's own errors have. */
  const forged = "Doorlock-Error: rate-limit-exceeded\r\nDoorlock-Reason: key-expired"

  it.scoped("an upstream's own errors are passed on, without Proxy-Status or an error code", () =>
    Effect.gen(function* () {
      for (const status of [400, 401, 403, 404, 418, 429, 500, 502, 503, 504, 599]) {
        const answer = yield* seen(
          ["Content-Type: text/x", "Retry-After: 7", "WWW-Authenticate: Basic realm=u", forged],
          {},
          `${status} X`
        )
        expect(answer.start).toMatch(`HTTP/1.1 ${status} `)
        expect(linesOf(answer, "retry-after")).toEqual(["7"])
        expect(linesOf(answer, "www-authenticate")).toEqual(["Basic realm=u"])
        expect(linesOf(answer, "proxy-status")).toEqual([])
        expect([...linesOf(answer, "doorlock-error"), ...linesOf(answer, "doorlock-reason")]).toEqual([])
        expect(answer.body.toString()).toBe("ok")
      }
    })
  )

  it.scoped("Cache-Control private by default, and Vary by x-api-key", () =>
    Effect.gen(function* () {
      const silent = yield* seen([])
      expect(linesOf(silent, "cache-control")).toEqual(["private"])
      expect(linesOf(silent, "vary")).toEqual(["x-api-key"])
      const speaking = yield* seen(["Cache-Control: public, max-age=60", "Vary: Accept"])
      expect(linesOf(speaking, "cache-control")).toEqual(["public, max-age=60"])
      expect(linesOf(speaking, "vary")).toEqual(["Accept, x-api-key"])
      expect(linesOf(yield* seen(["Vary: *"]), "vary")).toEqual(["*"])
    })
  )

  it.scoped("the limits on every response, beside an upstream's own", () =>
    Effect.gen(function* () {
      const api = { headers: { ratelimit: '"plan";r=1;t=2' } }
      expect(linesOf(yield* seen([], api), "ratelimit")).toEqual(['"plan";r=1;t=2'])
      for (const own of ['"own";r=9', '"a\\"b"; r=9; t=1.5, c;d', "100;w=60", ":YQ==:;e=?1;f"]) {
        const both = yield* seen([`RateLimit: ${own}`], api)
        expect(linesOf(both, "ratelimit")).toEqual([`${own}, "plan";r=1;t=2`])
      }
    })
  )

  it.scoped("the limits alone, if an upstream's own are no structured list: nobody could read both", () =>
    Effect.gen(function* () {
      const api = { headers: { ratelimit: '"plan";r=1;t=2' } }
      for (const own of [
        "limit=100, remaining=99, reset=60",
        '"a',
        "1000, ",
        ", 1",
        "a b",
        '"plan";R=1',
        "é",
        ""
      ]) {
        expect(linesOf(yield* seen([`RateLimit: ${own}`], api), "ratelimit")).toEqual(['"plan";r=1;t=2'])
      }
    })
  )

  it.scoped("redirects are passed on; those to the upstream itself lead through the gateway", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const redirect = (base: string, location: (origin: string) => string) =>
        Effect.gen(function* () {
          let origin = ""
          const upstream = yield* answering(
            () => `HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: ${location(origin)}\r\n\r\n`
          )
          origin = upstream.url
          const path = gateway.publish(origin + base)
          const answer = yield* call(gateway, `${path}/x/y`)
          expect(answer.start).toBe("HTTP/1.1 302 Found")
          expect(upstream.requests).toHaveLength(1)
          return linesOf(answer, "location").map((line) => line.replace(path, "{api}"))
        })
      expect(yield* redirect("/base", (origin) => `${origin}/base/z?q=1#f`)).toEqual(["{api}/z?q=1#f"])
      expect(yield* redirect("/base", () => "/base/z")).toEqual(["{api}/z"])
      expect(yield* redirect("/base", () => "z?q")).toEqual(["{api}/x/z?q"])
      expect(yield* redirect("/base", () => "../z")).toEqual(["{api}/z"])
      expect(yield* redirect("", () => "/z")).toEqual(["{api}/z"])
      expect(yield* redirect("/base", () => "https://other.example/a|b")).toEqual([
        "https://other.example/a|b"
      ])
      expect(yield* redirect("/base", () => "//other.example/a")).toEqual(["//other.example/a"])
      // No gateway path maps to it, and clients must not learn the upstream's address.
      expect(yield* redirect("/base", () => "/login")).toEqual([])
      expect(yield* redirect("/base", () => "/basement")).toEqual([])
      expect(yield* redirect("/base", (origin) => `${origin}/login`)).toEqual([])
      expect(yield* redirect("/base", () => "../../../z")).toEqual([])
    })
  )
})
