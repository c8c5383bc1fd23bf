/** `/docs` shows `/openapi.json` and loads nothing from other origins (contract.md#pages). */
import { createRequire } from "node:module"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { Effect } from "effect"
import { compressed } from "../http/runtime/compressed.ts"
import * as Assets from "./assets.ts"
import { htmlPage } from "./html-page.ts"

/** Finds a package's file as an import would, in any layout of node_modules. */
const require = createRequire(import.meta.url)

const assets = {
  swaggerUiStyle: Assets.make("/docs/assets/swagger-ui.css", "text/css; charset=utf-8", () =>
    Bun.file(require.resolve("swagger-ui-dist/swagger-ui.css")).bytes()
  ),
  swaggerUi: Assets.make("/docs/assets/swagger-ui-bundle.js", "text/javascript; charset=utf-8", () =>
    Bun.file(require.resolve("swagger-ui-dist/swagger-ui-bundle.js")).bytes()
  ),
  style: Assets.style("/docs/assets/docs.css", "docs/docs.css"),
  script: Assets.script("/docs/assets/docs.js", "docs/docs.ts", { format: "iife" }),
  icon: Assets.icon("/docs/assets/docs.svg")
}

const body = `<main id="docs">
<p class="without-scripts">This page needs scripts to show the doorlock API.
The same description is at <a href="/openapi.json">/openapi.json</a>.</p>
</main>`

const page = Effect.flatMap(Assets.addresses(assets), (address) =>
  compressed(
    htmlPage({
      title: "doorlock API",
      icon: address.icon,
      styles: [address.swaggerUiStyle, address.style],
      // Swagger UI leaves no room for a phone's notch.
      metas: { viewport: "width=device-width, initial-scale=1" },
      scripts: [address.swaggerUi, address.script]
        .map((script) => `<script src="${script}" defer></script>`)
        .join("\n"),
      body,
      policy: [
        "script-src 'self'",
        "style-src 'self'",
        // Swagger UI's style sheet contains its icons as `data:` images.
        "img-src 'self' data:",
        "connect-src 'self'"
      ],
      secure: false,
      // The page names its assets by hash, so an old copy would request files that no longer exist.
      headers: { "cache-control": "no-cache" }
    })
  )
)

export const layer = HttpApiBuilder.Router.use((router) =>
  Effect.zipRight(router.get("/docs", page), Assets.addRoutes(router, Object.values(assets)))
)
