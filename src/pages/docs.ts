/**
 * `/docs`: a page that shows `/openapi.json` (contract.md#pages). It loads nothing from other origins. Opening it
 * changes nothing: it sends requests only when the reader presses a button.
 */
import { createRequire } from "node:module"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect } from "effect"
import { compressed } from "../http/runtime/compressed.ts"
import * as Assets from "./assets.ts"

const javascript = "text/javascript; charset=utf-8"
const css = "text/css; charset=utf-8"

/** Finds a file of a package as an import would, so that any layout of node_modules will do. */
const require = createRequire(import.meta.url)

const web = (file: string) => Bun.file(`${import.meta.dirname}/../web/${file}`)

const withoutTypes = async (file: string): Promise<Uint8Array> =>
  new TextEncoder().encode(
    new Bun.Transpiler({ loader: "ts", target: "browser" }).transformSync(await web(file).text())
  )

const asset = (name: string, contentType: string, read: () => Promise<Uint8Array>) =>
  Assets.make(`/docs/assets/${name}`, contentType, read)

/** All files of the page. One route per file: no request ever becomes a file path. */
const assets = {
  swaggerUiStyle: asset("swagger-ui.css", css, () =>
    Bun.file(require.resolve("swagger-ui-dist/swagger-ui.css")).bytes()
  ),
  swaggerUi: asset("swagger-ui-bundle.js", javascript, () =>
    Bun.file(require.resolve("swagger-ui-dist/swagger-ui-bundle.js")).bytes()
  ),
  style: asset("docs.css", css, () => web("docs/docs.css").bytes()),
  script: asset("docs.js", javascript, () => withoutTypes("docs/docs.ts")),
  icon: asset("docs.svg", "image/svg+xml", () => web("ui/icon.svg").bytes())
}

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Swagger UI's style sheet contains its icons as `data:` images.
  "img-src 'self' data:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

const html = (address: Readonly<Record<keyof typeof assets, string>>): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>doorlock API</title>
<link rel="icon" type="image/svg+xml" href="${address.icon}">
<link rel="stylesheet" href="${address.swaggerUiStyle}">
<link rel="stylesheet" href="${address.style}">
<script src="${address.swaggerUi}" defer></script>
<script src="${address.script}" defer></script>
</head>
<body>
<main id="docs">
<p class="without-scripts">This page shows the doorlock API with the help of scripts.
Without them, the same description can be read at <a href="/openapi.json">/openapi.json</a>.</p>
</main>
</body>
</html>
`

const page = Effect.flatMap(Assets.addresses(assets), (addresses) =>
  compressed(
    HttpServerResponse.text(html(addresses), {
      contentType: "text/html; charset=utf-8",
      headers: {
        "content-security-policy": contentSecurityPolicy,
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "cross-origin-opener-policy": "same-origin",
        // The page names its assets by a hash of their content, so an old copy would request files that no longer
        // exist.
        "cache-control": "no-cache"
      }
    })
  )
)

/** The routes `/docs` and `/docs/assets/*`. A file is read on its first request. */
export const layer = HttpApiBuilder.Router.use((router) =>
  Effect.all([
    router.get("/docs", page),
    ...Object.values(assets).map(({ path, respond }) => router.get(path, respond))
  ])
)
