/**
 * The dashboard: `/dashboard` and every address below it serve one page (contract.md#pages). Its browser code in
 * `web/dashboard` uses only the public API.
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect } from "effect"
import { Config } from "../config.ts"
import { compressed } from "../http/runtime/compressed.ts"
import * as Assets from "./assets.ts"
import * as bundle from "./bundle.ts"
import { RouteTable } from "./route-table.ts"

const sources = `${import.meta.dirname}/../web/dashboard`

const asset = (name: string, contentType: string, read: () => Promise<Uint8Array>) =>
  Assets.make(`/dashboard/assets/${name}`, contentType, read)

const assetsWith = (contractRoutes: RouteTable["Type"]) => ({
  style: asset("dashboard.css", "text/css; charset=utf-8", bundle.minified(`${sources}/dashboard.css`)),
  script: asset(
    "dashboard.js",
    "text/javascript; charset=utf-8",
    bundle.minified(`${sources}/main.tsx`, { constants: { contractRoutes } })
  ),
  icon: asset("dashboard.svg", "image/svg+xml", () =>
    Bun.file(`${import.meta.dirname}/../web/ui/icon.svg`).bytes()
  )
})

type DashboardAssets = ReturnType<typeof assetsWith>

const headers = (secure: boolean) => ({
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    // Session files are shown from memory (`blob:`), and logos are inline in a config (`data:`).
    "img-src 'self' blob: data:",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "object-src 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    ...(secure ? ["upgrade-insecure-requests"] : [])
  ].join("; "),
  "cache-control": "no-store",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex",
  "cross-origin-opener-policy": "same-origin",
  // The framed preview of the hosted page asks for the camera.
  "permissions-policy": "camera=(self), microphone=(), geolocation=()"
})

const html = (
  address: Readonly<Record<keyof DashboardAssets, string>>,
  baseUrl: string,
  gatewayUrl: string
): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="dashboard:base-url" content="${Bun.escapeHTML(baseUrl)}">
<meta name="dashboard:gateway-url" content="${Bun.escapeHTML(gatewayUrl)}">
<title>doorlock</title>
<link rel="icon" type="image/svg+xml" href="${address.icon}">
<link rel="stylesheet" href="${address.style}">
<script type="module" src="${address.script}"></script>
</head>
<body>
<div id="page">
<noscript><p class="without-scripts">The dashboard needs scripts. Please allow them for this site; everything it does can also
be done by the <a href="/docs">API</a>.</p></noscript>
</div>
</body>
</html>
`

const pageWith = (assets: DashboardAssets) =>
  Effect.gen(function* () {
    const { appUrl, baseUrl, gatewayUrl } = yield* Config
    const address = yield* Assets.addresses(assets)
    return yield* compressed(
      HttpServerResponse.text(html(address, baseUrl, gatewayUrl), {
        contentType: "text/html; charset=utf-8",
        headers: headers(appUrl.startsWith("https:"))
      })
    )
  })

/** The routes of the dashboard. A file is read or built on its first request. */
export const layer = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const assets = assetsWith(yield* RouteTable)
    const respond = Effect.provide(pageWith(assets), yield* Effect.context<Config>())
    for (const { path, respond: respondWithAsset } of Object.values(assets))
      yield* router.get(path, respondWithAsset)
    yield* router.get("/dashboard", respond)
    yield* router.get("/dashboard/*", respond)
  })
)
