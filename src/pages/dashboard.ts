/** `/dashboard` and every address below it serve one page (contract.md#pages), from `web/dashboard`. */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Effect } from "effect"
import { cookieName } from "../accounts/guards.ts"
import { Config } from "../config.ts"
import { compressed } from "../http/runtime/compressed.ts"
import * as Assets from "./assets.ts"
import * as Bundles from "./bundles.ts"
import { htmlPage } from "./html-page.ts"

const folder = "/dashboard/assets"

const script = Bundles.scriptInParts(folder, "dashboard.js", "dashboard/main.tsx")

const assets = {
  style: Bundles.style(`${folder}/dashboard.css`, "dashboard/dashboard.css"),
  script: script.entry,
  chart: Bundles.script(`${folder}/chart.js`, "dashboard/charts/drawing.ts"),
  icon: Assets.icon(`${folder}/dashboard.svg`)
}

const body = `<div id="page">
<span class="spinner" aria-hidden="true"></span>
<noscript><p class="without-scripts">The dashboard needs scripts. Please allow them for this site, or use the <a href="/docs">API</a>,
which can do everything that the dashboard does.</p></noscript>
</div>`

const page = Effect.gen(function* () {
  const { cookies } = yield* HttpServerRequest.HttpServerRequest
  const { appUrl, baseUrl, gatewayUrl, signupOpen } = yield* Config
  const { chart, icon, script: entry, style } = yield* Assets.addresses(assets)
  const parts = yield* script.neededAtOnce
  return yield* compressed(
    htmlPage({
      title: "doorlock",
      icon,
      styles: [style],
      fonts: [Assets.typeface.latin.path],
      metas: {
        robots: "noindex",
        "dashboard:base-url": baseUrl,
        "dashboard:gateway-url": gatewayUrl,
        "dashboard:chart": chart,
        ...(signupOpen ? { "dashboard:signup-open": "yes" } : {}),
        // Whether the script may ask who is signed in: without a session, it would get a 401.
        ...(cookies[cookieName] === undefined ? {} : { "dashboard:had-session": "yes" })
      },
      scripts: [
        `<script type="module" src="${entry}"></script>`,
        ...parts.map((part) => `<link rel="modulepreload" href="${part}">`)
      ].join("\n"),
      body,
      policy: [
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        // Session files are shown from memory (`blob:`), and logos are inline in a config (`data:`).
        "img-src 'self' blob: data:",
        "font-src 'self'",
        "frame-src 'self'"
      ],
      trustedTypes: "'none'",
      secure: appUrl.startsWith("https:"),
      headers: {
        "cache-control": "no-store",
        "referrer-policy": "same-origin",
        "x-robots-tag": "noindex",
        // The framed preview of the hosted page asks for the camera.
        "permissions-policy": "camera=(self), microphone=(), geolocation=()"
      }
    })
  )
})

export const layer = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const respond = Effect.provide(page, yield* Effect.context<Config>())
    yield* Assets.addRoutes(router, Object.values(assets))
    yield* router.get(`${folder}/:part`, script.respondWithPart)
    yield* router.get("/dashboard", respond)
    yield* router.get("/dashboard/*", respond)
  })
)
