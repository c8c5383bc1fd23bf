import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { send } from "../support/client.ts"
import { TestServer } from "../support/server.ts"
import { suite } from "../support/suite.ts"

const get = (path: string) => Effect.flatMap(TestServer, (server) => send(server, "GET", path))

suite(TestServer.layer)("/dashboard/preview", (it) => {
  it.effect("has the policy of the hosted page, and only its own origin may frame it", () =>
    Effect.gen(function* () {
      const [preview, hosted] = [yield* get("/dashboard/preview"), yield* get("/kyc/session/x")]
      expect(preview.status).toBe(200)
      const headers = (answer: typeof preview) => {
        const own = ["date", "x-request-id", "content-length", "x-frame-options"]
        return Object.fromEntries([...answer.headers].filter(([name]) => !own.includes(name)))
      }
      expect(headers(preview)).toStrictEqual({
        ...headers(hosted),
        "content-security-policy": hosted.headers
          .get("content-security-policy")
          ?.replace("frame-ancestors 'none'", "frame-ancestors 'self'")
      })
      expect(preview.headers.get("content-security-policy")).toContain("frame-ancestors 'self';")
      expect(preview.headers.get("x-frame-options")).toBeNull()
    })
  )

  it.effect("reads nothing from its URL, and has no inline script or style", () =>
    Effect.gen(function* () {
      const { text } = yield* get("/dashboard/preview")
      const config = encodeURIComponent('{"title":"Somebody else"}')
      for (const query of [
        `?config=${config}`,
        `?draft=${config}&workflow={}`,
        "?token=kyc_sess_x&frame=x"
      ]) {
        expect((yield* get(`/dashboard/preview${query}`)).text).toBe(text)
      }
      expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|<script>|<script(?! type="module" src=)/)
      expect(text).not.toMatch(/(https?:)?\/\/\w/)
    })
  )

  it.effect("can load everything that it names, but neither a captcha nor a handoff", () =>
    Effect.gen(function* () {
      const { text } = yield* get("/dashboard/preview")
      const named = [...text.matchAll(/(?:href|src|content)="(\/[^"]*)"/g)].map(
        ([, address]) => address ?? ""
      )
      expect(named.map((address) => address.split("?")[0])).toEqual([
        "/kyc/assets/kyc.svg",
        "/kyc/assets/preview.css",
        ...["de", "fr", "es", "et", "ar"].map((locale) => `/kyc/assets/${locale}.json`),
        "/kyc/assets/preview.js"
      ])
      for (const address of named) expect((yield* get(address)).status, address).toBe(200)
    })
  )
})
