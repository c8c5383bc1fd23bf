/**
 * The hosted KYC page: `/kyc/session/:id`, which `verificationUrl` opens, and `/kyc/session/:id/done`, where a session without
 * a redirect of the partner's ends (decisions, section 6).
 *
 * The page is the same for every id and no session is looked up for it: opening it tells nothing and changes nothing, however
 * many link scanners do. Everything else is browser code in `kyc/`, which uses the public API only.
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import { Config } from "../config.ts"
import * as Assets from "./assets.ts"
import * as bundle from "./bundle.ts"

const javascript = "text/javascript; charset=utf-8"
const json = "application/json; charset=utf-8"
const sources = `${import.meta.dirname}/kyc`

const asset = (name: string, contentType: string, read: () => Promise<Uint8Array>) =>
  Assets.make(`/kyc/assets/${name}`, contentType, read)

/** Written again without the spaces that are there for its readers. */
const messages = (locale: string) =>
  asset(`${locale}.json`, json, async () =>
    new TextEncoder().encode(JSON.stringify(await Bun.file(`${sources}/locales/${locale}.json`).json()))
  )

/** What the first screen needs. */
const first = {
  style: asset("kyc.css", "text/css; charset=utf-8", bundle.minified(`${sources}/kyc.css`)),
  script: asset("kyc.js", javascript, bundle.minified(`${sources}/main.client.tsx`)),
  icon: asset("kyc.svg", "image/svg+xml", () => Bun.file(`${sources}/kyc.svg`).bytes())
}

/** What the browser code loads when it needs it, by the name it knows it under. English is in the script. */
const later = {
  worker: asset("captcha.js", javascript, bundle.minified(`${sources}/captcha-worker.client.ts`)),
  qr: asset("qr.js", javascript, bundle.minified(`${sources}/qr.client.ts`)),
  de: messages("de"),
  fr: messages("fr"),
  es: messages("es"),
  et: messages("et"),
  ar: messages("ar")
}

/**
 * The page's policy.
 *
 * @param ancestors origins that may show the page in a frame
 */
const contentSecurityPolicy = (secure: boolean, ancestors: ReadonlyArray<string>): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' blob: data:",
    "media-src 'self' blob:",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "object-src 'none'",
    `frame-ancestors ${ancestors.length === 0 ? "'none'" : ancestors.join(" ")}`,
    "require-trusted-types-for 'script'",
    "trusted-types doorlock",
    ...(secure ? ["upgrade-insecure-requests"] : [])
  ].join("; ")

const headers = (secure: boolean) => ({
  "content-security-policy": contentSecurityPolicy(secure, []),
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(self), microphone=(), geolocation=()"
})

interface Addresses {
  readonly first: Readonly<Record<keyof typeof first, string>>
  readonly later: Readonly<Record<keyof typeof later, string>>
}

// The addresses of what comes later are told by `meta` elements: the policy permits no script in the page.
const html = (address: Addresses): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Identity verification</title>
<link rel="icon" type="image/svg+xml" href="${address.first.icon}">
<link rel="stylesheet" href="${address.first.style}">
${Object.entries(address.later)
  .map(([name, url]) => `<meta name="kyc:${name}" content="${url}">`)
  .join("\n")}
<script type="module" src="${address.first.script}"></script>
</head>
<body>
<div id="page">
<noscript><p class="without-scripts">This page verifies your identity with the help of scripts.
Please allow scripts for it, or open the link in another browser.</p></noscript>
</div>
</body>
</html>
`

const addresses = <Key extends string>(assets: Readonly<Record<Key, Assets.Asset>>) =>
  Effect.all(
    Record.map(assets, ({ address }) => address),
    { concurrency: "unbounded" }
  )

const page = Effect.gen(function* () {
  const { appUrl } = yield* Config
  return HttpServerResponse.text(html({ first: yield* addresses(first), later: yield* addresses(later) }), {
    contentType: "text/html; charset=utf-8",
    headers: headers(appUrl.startsWith("https:"))
  })
})

/** The routes of the page and of what it loads. Nothing is read or built before the first of them is asked for. */
export const layer = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const respond = Effect.provideService(page, Config, yield* Config)
    yield* router.get("/kyc/session/:id", respond)
    yield* router.get("/kyc/session/:id/done", respond)
    for (const { path, respond } of Object.values({ ...first, ...later })) yield* router.get(path, respond)
  })
)
