/**
 * The hosted KYC page: `/kyc/session/:id`, which `verificationUrl` opens, and `/kyc/session/:id/done`, the last page of
 * a session without a redirect of the partner's (contract.md#pages). Also the preview that the dashboard shows in a
 * frame.
 *
 * The page is the same for every id, except for the origins that may frame it, which it reveals only to holders of the
 * session's token. Opening it changes nothing, so link scanners do no harm. The rest is browser code in `web/kyc`,
 * which uses only the public API, and `/kyc/embed.js`, which partners' pages use to show the page in a frame.
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, Option } from "effect"
import { Config } from "../config.ts"
import { type Embeddable, Embedding } from "../kyc/embedding/service.ts"
import * as Assets from "./assets.ts"
import * as bundle from "./bundle.ts"

const javascript = "text/javascript; charset=utf-8"
const json = "application/json; charset=utf-8"
const sources = `${import.meta.dirname}/../web/kyc`

const asset = (name: string, contentType: string, read: () => Promise<Uint8Array>) =>
  Assets.make(`/kyc/assets/${name}`, contentType, read)

/** The file's JSON without its white space. */
const messages = (locale: string) =>
  asset(`${locale}.json`, json, async () =>
    new TextEncoder().encode(JSON.stringify(await Bun.file(`${sources}/i18n/locales/${locale}.json`).json()))
  )

/** What the first screen needs. */
const first = {
  style: asset("kyc.css", "text/css; charset=utf-8", bundle.minified(`${sources}/kyc.css`)),
  script: asset("kyc.js", javascript, bundle.minified(`${sources}/main.tsx`)),
  icon: asset("kyc.svg", "image/svg+xml", () => Bun.file(`${import.meta.dirname}/../web/ui/icon.svg`).bytes())
}

/** What the browser code loads on demand, under the names it uses. */
const later = {
  worker: asset("captcha.js", javascript, bundle.minified(`${sources}/captcha/worker.ts`)),
  qr: asset("qr.js", javascript, bundle.minified(`${sources}/handoffs/qr.ts`))
}

/** The translations. English is part of the script. */
const locales = {
  de: messages("de"),
  fr: messages("fr"),
  es: messages("es"),
  et: messages("et"),
  ar: messages("ar")
}

/** What the preview loads instead of the page's own files. */
const preview = {
  style: asset("preview.css", "text/css; charset=utf-8", bundle.minified(`${sources}/preview.css`)),
  script: asset("preview.js", javascript, bundle.minified(`${sources}/preview/main.tsx`))
}

/** The script that partners' pages load from any origin, at an address that never changes. */
const embed = Assets.make(
  "/kyc/embed.js",
  javascript,
  bundle.minified(`${sources}/embedding/embed.ts`, { format: "iife" }),
  {
    "cache-control": "public, max-age=3600",
    "cross-origin-resource-policy": "cross-origin"
  }
)

/**
 * The page's Content Security Policy.
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

const headers = (secure: boolean, ancestors: ReadonlyArray<string>) => ({
  "content-security-policy": contentSecurityPolicy(secure, ancestors),
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(self), microphone=(), geolocation=()"
})

/** The variable parts of the page: the addresses of its first files, and the values for its script. */
interface Beginning {
  readonly first: Readonly<Record<keyof typeof first, string>>
  readonly metas: ReadonlyArray<string>
  /** The text for readers who block scripts. */
  readonly without: string
}

const meta = (name: string, content: string): string => `<meta name="kyc:${name}" content="${content}">`

/** What a framed page needs before it can call the API. The schema admits only origins that need no escaping. */
const frameMeta = ({ origins, ticket }: Embeddable): ReadonlyArray<string> => [
  meta("frame-origins", origins.join(" ")),
  meta("frame-ticket", ticket)
]

// `meta` elements carry the values for the script, because the policy forbids inline scripts.
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

/** A parameter that occurs once; a repeated one is ignored. */
const single = (value: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof value === "string" ? value : undefined

const page = Effect.gen(function* () {
  const { appUrl } = yield* Config
  const { find } = yield* Embedding
  const { id = "" } = yield* HttpRouter.params
  const { frame, token } = yield* HttpServerRequest.ParsedSearchParams
  const embeddable = yield* find({ sessionId: id, token: single(token), ticket: single(frame) })
  const metas = Object.entries(yield* Assets.addresses({ ...later, ...locales })).map(([name, url]) =>
    meta(name, url)
  )
  const ancestors = Option.match(embeddable, { onNone: () => [], onSome: ({ origins }) => origins })
  const written = html({
    first: yield* Assets.addresses(first),
    metas: [...metas, ...Option.match(embeddable, { onNone: () => [], onSome: frameMeta })],
    without:
      "This page verifies your identity with the help of scripts.\nPlease allow scripts for it, or open the link in another browser."
  })
  return HttpServerResponse.text(written, {
    contentType: "text/html; charset=utf-8",
    headers: headers(appUrl.startsWith("https:"), ancestors)
  })
})

/**
 * Shows the page with a draft of an instance. The draft comes from the framing page on the same origin and never from
 * the address: otherwise a link could show somebody else's verification page here.
 */
const previewPage = Effect.gen(function* () {
  const { appUrl } = yield* Config
  const written = html({
    first: { ...(yield* Assets.addresses(first)), ...(yield* Assets.addresses(preview)) },
    metas: Object.entries(yield* Assets.addresses(locales)).map(([name, url]) => meta(name, url)),
    without: "The preview needs scripts."
  })
  return HttpServerResponse.text(written, {
    contentType: "text/html; charset=utf-8",
    headers: headers(appUrl.startsWith("https:"), ["'self'"])
  })
})

/** The routes of the page, its preview, their files and `embed.js`. A file is read or built on its first request. */
export const layer = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const respond = Effect.provide(page, yield* Effect.context<Config | Embedding>())
    yield* router.get("/kyc/session/:id", respond)
    yield* router.get("/kyc/session/:id/done", respond)
    yield* router.get("/dashboard/preview", Effect.provide(previewPage, yield* Effect.context<Config>()))
    const assets = [first, later, locales, preview, { embed }].flatMap(
      (group): ReadonlyArray<Assets.Asset> => Object.values(group)
    )
    for (const { path, respond } of assets) yield* router.get(path, respond)
  })
)
