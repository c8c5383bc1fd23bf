/** contract.md#unknown-paths: a page for people, JSON for everybody else. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { exchange } from "../support/http/raw.ts"
import { TestServer } from "../support/server.ts"
import { suite } from "../support/suite.ts"

const ask = (request: string, accept: string | undefined) =>
  Effect.flatMap(TestServer, (server) =>
    exchange(server, request, accept === undefined ? [] : [`Accept: ${accept}`])
  )

/** What Chromium sends. */
const ofBrowser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"

const html = "text/html; charset=utf-8"

suite(TestServer.layer)("at an address that does not exist", (it) => {
  for (const path of ["/nope", "/docs/guides/nope", "/kycs/session"]) {
    it.effect(`${path}: a browser gets a page with a search of the docs and three links`, () =>
      Effect.gen(function* () {
        const { body, headers, status } = yield* ask(`GET ${path}`, ofBrowser)
        expect([status, headers.get("content-type")]).toEqual([404, html])
        expect(headers.get("content-security-policy")).toBe(
          "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; object-src 'none'; frame-ancestors 'none'"
        )
        const [, main = ""] = /<main>(.*)<\/main>/s.exec(body) ?? []
        expect(main).toContain('<form class="find" action="/docs">')
        expect(main).toMatch(/<input id="q" name="q" type="search" /)
        expect(Array.from(main.matchAll(/href="([^"]*)"/g), ([, address]) => address)).toEqual([
          "/docs",
          "/dashboard",
          "/"
        ])
        expect(body).not.toMatch(/<script|<style|\sstyle=|\son\w+=|nope/)
      })
    )
  }

  for (const path of ["/kyc", "/kyc/session/a/b/c?token=x"]) {
    it.effect(`${path}: a browser gets the page that says that the link does not work`, () =>
      Effect.gen(function* () {
        const { body, headers, status } = yield* ask(`GET ${path}`, ofBrowser)
        expect([status, headers.get("content-type")]).toEqual([404, html])
        expect(body).toContain("This link does not work.")
        expect(body).toMatch(/<script type="module" src="\/kyc\/assets\/kyc\.js\?v=\w+">/)
        const hosted = yield* ask("GET /kyc/session/x", ofBrowser)
        expect(headers.get("content-security-policy")).toBe(hosted.headers.get("content-security-policy"))
      })
    )
  }

  for (const [request, accept] of [
    ["GET /nope", undefined],
    ["GET /nope", "*/*"],
    ["GET /nope", "text/html-like"],
    ["GET /nope", "application/json, text/html;q=0"],
    ["GET /kyc/nope", "*/*"],
    ["POST /nope", ofBrowser],
    ["GET /api/nope", ofBrowser]
  ] as const) {
    it.effect(`${request} with Accept ${accept}: JSON`, () =>
      Effect.gen(function* () {
        const { body, headers, status } = yield* ask(request, accept)
        expect([status, headers.get("content-type"), headers.get("doorlock-error"), body]).toEqual([
          404,
          "application/json",
          "not-found",
          '{"error":"Not found"}'
        ])
      })
    )
  }

  it.effect("text/html may be named in any case, with a weight, and anywhere in the list", () =>
    Effect.gen(function* () {
      for (const accept of ["TEXT/HTML", "application/json, text/html;q=0.5", "text/html;level=1 ; q=0.01"]) {
        const { headers, status } = yield* ask("GET /nope", accept)
        expect([accept, status, headers.get("content-type")]).toEqual([accept, 404, html])
      }
    })
  )

  it.effect("HEAD has the headers of GET and no body", () =>
    Effect.gen(function* () {
      const { body, headers, status } = yield* ask("HEAD /nope", ofBrowser)
      expect([status, headers.get("content-type"), body]).toEqual([404, html, ""])
    })
  )
})
