/**
 * The hosted KYC page: `/kyc/session/:id`, which `verificationUrl` opens, and `/kyc/session/:id/done`, where a session without
 * a redirect of the partner's ends (contract.md#pages). And its preview, which the dashboard shows in a frame.
 *
 * The page is the same for every id, but for who may show it in a frame, which is told to who has the session's token. Opening
 * it changes nothing, however many link scanners do. Everything else is browser code in `web/kyc`, which uses the public API only,
 * and `/kyc/embed.js`, which a page of the partner's shows it in a frame with.
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Config } from "../config.ts"
import { type Embeddable, Embedding } from "../kyc/embedding/service.ts"
import * as Assets from "./assets.ts"
import * as bundle from "./bundle.ts"

const javascript = "text/javascript; charset=utf-8"
const json = "application/json; charset=utf-8"
const sources = `${import.meta.dirname}/../web/kyc`

const asset = (name: string, contentType: string, read: () => Promise<Uint8Array>) =>
  Assets.make(`/kyc/assets/${name}`, contentType, read)

/** Written again without the spaces that are there for its readers. */
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

/** What the browser code loads when it needs it, by the name it knows it under. */
const later = {
  worker: asset("captcha.js", javascript, bundle.minified(`${sources}/captcha/worker.ts`)),
  qr: asset("qr.js", javascript, bundle.minified(`${sources}/handoffs/qr.ts`))
}

/** Its texts in other languages than English, which is in the script. */
const locales = {
  de: messages("de"),
  fr: messages("fr"),
  es: messages("es"),
  et: messages("et"),
  ar: messages("ar")
}

/** What the preview needs in place of the page's own. */
const preview = {
  style: asset("preview.css", "text/css; charset=utf-8", bundle.minified(`${sources}/preview.css`)),
  script: asset("preview.js", javascript, bundle.minified(`${sources}/preview/main.tsx`))
}

/** What partners' pages load: from any origin, and by an address that never changes. */
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

const headers = (secure: boolean, ancestors: ReadonlyArray<string>) => ({
  "content-security-policy": contentSecurityPolicy(secure, ancestors),
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(self), microphone=(), geolocation=()"
})

/** What a page begins with: the addresses of what it loads, and what its script is told. */
interface Beginning {
  readonly first: Readonly<Record<keyof typeof first, string>>
  readonly metas: ReadonlyArray<string>
  /** For who permits no scripts. */
  readonly without: string
}

const meta = (name: string, content: string): string => `<meta name="kyc:${name}" content="${content}">`

/** What the page in a frame needs to know before it can ask the API: its addresses are of the schema's form, and need no escape. */
const frameMeta = ({ origins, ticket }: Embeddable): ReadonlyArray<string> => [
  meta("frame-origins", origins.join(" ")),
  meta("frame-ticket", ticket)
]

// What the script has to know is told by `meta` elements: the policy permits no script in the page.
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

/** A parameter given once; of several, none counts. */
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
 * The page as a draft of an instance would have it. It takes the draft from the page of this origin that shows it in a frame,
 * and nothing from its address: a link could otherwise show a verification page of somebody else's making here.
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

/** The routes of the page and its preview, of what they load, and of `embed.js`. Nothing is read or built before the first of them is asked for. */
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
