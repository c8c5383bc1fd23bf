/** `/docs` describes doorlock's API: complete without scripts, from the contract, nothing from other origins (contract.md#pages). */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Effect } from "effect"
import { cookieName } from "../accounts/guards.ts"
import { Config } from "../config.ts"
import { unrouted } from "../http/runtime/reject.ts"
import { ApiDescription } from "./api-description.ts"
import * as Assets from "./assets.ts"
import { pageHeaders, pageHtml } from "./html-page.ts"

/** Loaded and made once, when a page is first requested: most processes never need it. */
const docsWith = (describe: ApiDescription["Type"], base: string) =>
  Assets.once(async () => {
    const { docsOf } = await import("./docs/render.tsx")
    return docsOf(describe(), base)
  })

export const layer = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const { appUrl, baseUrl } = yield* Config
    const docs = docsWith(yield* ApiDescription, baseUrl)
    const files = {
      style: Assets.style("/docs/assets/docs.css", "docs/docs.css"),
      script: Assets.script("/docs/assets/docs.js", "docs/main.tsx", {
        constants: async () => ({ searchIndex: (await docs()).searchIndex() })
      }),
      icon: Assets.icon("/docs/assets/docs.svg")
    }

    /** @param isSignedIn whether the script may ask who is signed in: it would get a 401 otherwise */
    const page = (address: `/${string}`, isSignedIn: boolean): Assets.Asset => {
      const options = Effect.gen(function* () {
        const { icon, script, style } = yield* Assets.addresses(files)
        const found = (yield* Effect.promise(docs)).pages.get(address)
        return {
          title: found?.title ?? "",
          icon,
          styles: [style],
          fonts: [Assets.typeface.latin.path],
          metas: {
            description: "How to call doorlock's API, with code and a form to try each operation.",
            "docs:base-url": baseUrl,
            ...(isSignedIn ? { "docs:signed-in": "yes" } : {})
          },
          scripts: `<script type="module" src="${script}"></script>`,
          body: found?.html() ?? ""
        }
      })
      const read = async () => new TextEncoder().encode(pageHtml(await Effect.runPromise(options)))
      return Assets.make(
        address,
        "text/html; charset=utf-8",
        read,
        pageHeaders({
          policy: [
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self'",
            "font-src 'self'",
            "connect-src 'self'"
          ],
          trustedTypes: "'none'",
          secure: appUrl.startsWith("https:"),
          // The page names its assets by hash, so an old copy would request files that no longer exist.
          headers: { "cache-control": "no-cache", vary: "Accept-Encoding, Cookie" }
        })
      )
    }
    const made = new Map<string, Assets.Asset>()
    const respond = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { pathname } = new URL(request.url, "http://doorlock")
      if (!(yield* Effect.promise(docs)).pages.has(pathname)) return unrouted([])
      const isSignedIn = request.cookies[cookieName] !== undefined
      const name = `${pathname} ${isSignedIn}`
      const known = made.get(name) ?? page(pathname as `/${string}`, isSignedIn)
      made.set(name, known)
      return yield* known.respond
    })
    yield* router.get("/docs", respond)
    yield* router.get("/docs/events", respond)
    yield* router.get("/docs/operations/:operation", respond)
    yield* Assets.addRoutes(router, Object.values(files))
  })
)
