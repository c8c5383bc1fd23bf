/**
 * The hosted KYC page at `verificationUrl`; the last page of a session without a redirect URL, at `/done`
 * below it (contract.md#pages); and the preview that the dashboard shows in a frame. Their code is in
 * `web/kyc`.
 *
 * The page is the same for every id, except for the origins that may frame it, which it reveals only to
 * holders of the session's token. Opening it changes nothing, so link scanners do no harm.
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Effect, Record } from "effect"
import { Config } from "../config.ts"
import { type Embeddable, Embedding } from "../kyc/embedding/service.ts"
import * as Assets from "./assets.ts"
import { htmlPage } from "./html-page.ts"

const script = (name: string, entry: string) => Assets.script(`/kyc/assets/${name}`, `kyc/${entry}`)
const style = (name: string) => Assets.style(`/kyc/assets/${name}`, `kyc/${name}`)

/** The translations as JSON without white space. */
const messages = (locale: string) =>
  Assets.make(`/kyc/assets/${locale}.json`, "application/json; charset=utf-8", async () =>
    new TextEncoder().encode(JSON.stringify(await Assets.web(`kyc/i18n/locales/${locale}.json`).json()))
  )

const first = {
  style: style("kyc.css"),
  script: script("kyc.js", "main.tsx"),
  icon: Assets.icon("/kyc/assets/kyc.svg")
}

/** Loaded on demand, under these names. */
const later = { worker: script("captcha.js", "captcha/worker.ts"), qr: script("qr.js", "handoffs/qr.ts") }

/** The translations. English is part of the script. */
const locales = Record.fromIterableWith(["de", "fr", "es", "et", "ar"], (locale) => [
  locale,
  messages(locale)
])

const preview = { style: style("preview.css"), script: script("preview.js", "preview/main.tsx") }

/** For partners' pages on any origin, at an address that never changes. */
const embed = Assets.script("/kyc/embed.js", "kyc/embedding/embed.ts", {
  format: "iife",
  headers: {
    "cache-control": "public, max-age=3600",
    "cross-origin-resource-policy": "cross-origin"
  }
})

/** @param ancestors origins that may show the page in a frame */
const respondWith = (parts: Beginning, ancestors: ReadonlyArray<string>) =>
  Effect.map(Config, ({ appUrl }) =>
    htmlPage(html(parts), {
      policy: [
        "script-src 'self'",
        "worker-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self' blob: data:",
        "media-src 'self' blob:",
        "font-src 'self'"
      ],
      ancestors,
      trustedTypes: "doorlock",
      secure: appUrl.startsWith("https:"),
      headers: {
        "cache-control": "no-store",
        "x-robots-tag": "noindex",
        "permissions-policy": "camera=(self), microphone=(), geolocation=()"
      }
    })
  )

interface Beginning {
  readonly first: Readonly<Record<keyof typeof first, string>>
  readonly metas: ReadonlyArray<string>
  /** For readers who block scripts. */
  readonly without: string
}

const meta = (name: string, content: string): string => `<meta name="kyc:${name}" content="${content}">`

/** What a framed page needs before it can call the API. The schema admits only safe origins. */
const frameMeta = ({ origins, ticket }: Embeddable): ReadonlyArray<string> => [
  meta("frame-origins", origins.join(" ")),
  meta("frame-ticket", ticket)
]

// Values for the script are in `meta` elements, because the policy forbids inline scripts.
const html = ({ first, metas, without }: Beginning): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Identity verification</title>
<link rel="icon" type="image/svg+xml" href="${first.icon}">
<link rel="stylesheet" href="${first.style}">
${metas.join("\n")}
<script type="module" src="${first.script}"></script>
</head>
<body>
<div id="page">
<noscript><p class="without-scripts">${without}</p></noscript>
</div>
</body>
</html>
`

/** Ignores a repeated parameter. */
const single = (value: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof value === "string" ? value : undefined

const metasOf = (assets: Readonly<Record<string, Assets.Asset>>) =>
  Effect.map(Assets.addresses(assets), (found) => Object.entries(found).map(([name, url]) => meta(name, url)))

const page = Effect.gen(function* () {
  const { find } = yield* Embedding
  const { id = "" } = yield* HttpRouter.params
  const { frame, token } = yield* HttpServerRequest.ParsedSearchParams
  const embeddable = yield* find({ sessionId: id, token: single(token), ticket: single(frame) })
  const metas = yield* metasOf({ ...later, ...locales })
  const parts = {
    first: yield* Assets.addresses(first),
    metas: embeddable === undefined ? metas : [...metas, ...frameMeta(embeddable)],
    without:
      "This page needs scripts to verify your identity.\nPlease allow scripts for it, or open the link in another browser."
  }
  return yield* respondWith(parts, embeddable?.origins ?? [])
})

/** The draft comes from the framing page, never from the URL: a link could show any content here. */
const previewPage = Effect.gen(function* () {
  const parts = {
    first: { ...(yield* Assets.addresses(first)), ...(yield* Assets.addresses(preview)) },
    metas: yield* metasOf(locales),
    without: "The preview needs scripts."
  }
  return yield* respondWith(parts, ["'self'"])
})

export const layer = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const respond = Effect.provide(page, yield* Effect.context<Config | Embedding>())
    yield* router.get("/kyc/session/:id", respond)
    yield* router.get("/kyc/session/:id/done", respond)
    yield* router.get("/dashboard/preview", Effect.provide(previewPage, yield* Effect.context<Config>()))
    for (const assets of [first, later, locales, preview, { embed }]) {
      yield* Assets.addRoutes(router, Object.values(assets))
    }
  })
)
