/**
 * `/docs` describes doorlock: guides, and its API from the contract. It is complete without scripts, has nothing from other origins, and
 * each page is also there as Markdown (contract.md#pages).
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Context, Effect } from "effect"
import { cookieName } from "../accounts/guards.ts"
import { Config } from "../config.ts"
import type { Json } from "../web/json.ts"
import * as Assets from "./assets.ts"
import * as Bundles from "./bundles.ts"
import { pageHeaders, pageHtml, withoutSlash } from "./html-page.ts"
import { notFound } from "./not-found.ts"

/** The OpenAPI document of doorlock's own API, made when it is first needed. */
export class ApiDescription extends Context.Tag("doorlock/pages/ApiDescription")<
  ApiDescription,
  () => Json
>() {}

/** Loaded and made once, when a page is first requested: most processes never need it. */
const docsWith = (describe: ApiDescription["Type"], base: string) =>
  Assets.once(async () => {
    const [{ docsOf }, { readGuides }] = await Promise.all([
      import("./docs/render.tsx"),
      import("./docs/guides.ts")
    ])
    return docsOf(describe(), base, await readGuides(base))
  })

export const layer = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const { appUrl, baseUrl } = yield* Config
    const unknown = Effect.provide(notFound, yield* Effect.context<Config>())
    const docs = docsWith(yield* ApiDescription, baseUrl)
    const files = {
      style: Bundles.style("/docs/assets/docs.css", "docs/docs.css"),
      script: Bundles.script("/docs/assets/docs.js", "docs/main.tsx", {
        constants: async () => ({ searchIndex: (await docs()).searchIndex() })
      }),
      icon: Assets.icon("/docs/assets/docs.svg")
    }
    /** For the search of the dashboard. */
    const searchIndex = Assets.make("/docs/assets/search.json", "application/json", async () =>
      new TextEncoder().encode(JSON.stringify((await docs()).searchIndex()))
    )

    /** @param isSignedIn whether the script may ask who is signed in: it would get a 401 otherwise */
    const page = (address: `/${string}`, isSignedIn: boolean): Assets.Asset => {
      const options = Effect.gen(function* () {
        const { icon, script, style } = yield* Assets.addresses(files)
        const found = (yield* Effect.promise(docs)).pages.get(address)
        return {
          title: found?.title ?? "",
          icon,
          asMarkdown: `${address}.md`,
          styles: [style],
          fonts: [Assets.typeface.latin.path],
          metas: {
            description: found?.description ?? "",
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
    const asMarkdown = (address: `/${string}`): Assets.Asset =>
      Assets.make(
        address,
        `${address === "/llms.txt" ? "text/plain" : "text/markdown"}; charset=utf-8`,
        async () => new TextEncoder().encode((await docs()).markdown.get(address)?.() ?? ""),
        pageHeaders({
          policy: [],
          secure: appUrl.startsWith("https:"),
          headers: { "cache-control": "no-cache" }
        })
      )
    const made = new Map<string, Assets.Asset>()
    const respond = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { pathname } = new URL(request.url, "http://doorlock")
      const { markdown, pages } = yield* Effect.promise(docs)
      if (pathname.endsWith("/") && pages.has(pathname.slice(0, -1))) return yield* withoutSlash
      if (markdown.has(pathname)) {
        const known = made.get(pathname) ?? asMarkdown(pathname as `/${string}`)
        made.set(pathname, known)
        return yield* known.respond
      }
      if (!pages.has(pathname)) return yield* unknown
      const isSignedIn = request.cookies[cookieName] !== undefined
      const name = `${pathname} ${isSignedIn}`
      const known = made.get(name) ?? page(pathname as `/${string}`, isSignedIn)
      made.set(name, known)
      return yield* known.respond
    })
    yield* Effect.forEach(
      [
        "/docs",
        "/docs.md",
        "/docs/events",
        "/docs/",
        "/docs/events.md",
        "/docs/events/",
        "/docs/examples",
        "/docs/examples.md",
        "/docs/examples/",
        "/docs/examples/:example",
        "/docs/examples/:example/",
        "/docs/guides/:guide",
        "/docs/guides/:guide/",
        "/docs/operations/:operation",
        "/docs/operations/:operation/",
        "/llms.txt"
      ] as const,
      (path) => router.get(path, respond),
      { discard: true }
    )
    yield* Assets.addRoutes(router, [...Object.values(files), searchIndex])
  })
)
