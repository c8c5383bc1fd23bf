/**
 * The hosted KYC page at `verificationUrl`; the last page of a session without a redirect URL, at `/done`
 * below it (contract.md#pages); the preview that the dashboard shows in a frame; and the page that checks receipts. Their
 * code is in `web/kyc`.
 *
 * The page is the same for every id, except for the origins that may frame it, which it reveals only to
 * holders of the session's token. Opening it changes nothing, so link scanners do no harm.
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, Record } from "effect"
import { Config } from "../config.ts"
import { Embedding } from "../kyc/embedding/service.ts"
import * as Assets from "./assets.ts"
import * as Bundles from "./bundles.ts"
import { htmlPage, withoutSlash } from "./html-page.ts"

const script = (name: string, entry: string) => Bundles.script(`/kyc/assets/${name}`, `kyc/${entry}`)
/** A worker that sees what the camera sees. Its own headers say what it may do: fetch a file of doorlock, and nothing else. */
const seeing = (name: string, entry: string, policy: ReadonlyArray<string>) =>
  Bundles.script(`/kyc/assets/${name}`, `kyc/${entry}`, {
    headers: { "content-security-policy": ["default-src 'none'", ...policy].join("; ") }
  })
const weights = (name: string, network: string) =>
  Assets.make(`/kyc/assets/${name}`, "application/octet-stream", () =>
    Bun.file(`${import.meta.dirname}/../kyc/checks/${network}/weights.bin`).bytes()
  )
const style = (name: string) => Bundles.style(`/kyc/assets/${name}`, `kyc/${name}`)

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

/** What reads barcodes is in packages that need not be installed. */
const barcodes = Assets.packageFile("zxing-wasm/reader/zxing_reader.wasm", "aamva-parser")

/** Loaded on demand, under these names. */
const later: Readonly<Record<string, Assets.Asset>> = {
  worker: script("captcha.js", "captcha/worker.ts"),
  qr: script("qr.js", "handoffs/qr.ts"),
  /** With the camera, and not before. */
  hints: seeing("hints.js", "hints/worker.ts", ["connect-src 'self'"]),
  "face-weights": weights("face-weights.bin", "face-finder"),
  zones: seeing("zones.js", "reading/zone-worker.ts", ["connect-src 'self'"]),
  "zone-weights": weights("zone-weights.bin", "zone-reader"),
  ...(barcodes && {
    barcodes: seeing("barcodes.js", "reading/barcode-worker.ts", [
      "script-src 'wasm-unsafe-eval'",
      "connect-src 'self'"
    ]),
    "barcode-program": Assets.make("/kyc/assets/barcodes.wasm", "application/wasm", () =>
      Bun.file(barcodes).bytes()
    )
  })
}

/** The translations. English is part of the script. */
const locales = Record.fromIterableWith(["de", "fr", "es", "et", "ar"], (locale) => [
  locale,
  messages(locale)
])

const preview = { style: style("preview.css"), script: script("preview.js", "preview/main.tsx") }

const receipt = { style: style("receipt.css"), script: script("receipt.js", "receipt/main.tsx") }

/** For partners' pages on any origin, at an address that never changes. */
const embed = Bundles.script("/kyc/embed.js", "kyc/embedding/embed.ts", {
  format: "iife",
  headers: {
    "cache-control": "public, max-age=3600",
    "cross-origin-resource-policy": "cross-origin"
  }
})

interface Variant {
  readonly files: Readonly<Record<keyof typeof first, Assets.Asset>>
  /** Values for the script, by name. */
  readonly values: Readonly<Record<string, string>>
  /** For readers who block scripts. */
  readonly without: string
  /** The origins that may show the page in a frame. */
  readonly ancestors: ReadonlyArray<string>
}

const respondWith = ({ ancestors, files, values, without }: Variant) =>
  Effect.gen(function* () {
    const { appUrl } = yield* Config
    const { icon, script, style } = yield* Assets.addresses(files)
    return htmlPage({
      title: "Identity verification",
      icon,
      styles: [style],
      metas: { robots: "noindex", ...Record.mapKeys(values, (name) => `kyc:${name}`) },
      scripts: `<script type="module" src="${script}"></script>`,
      body: `<div id="page">
<span class="spinner" aria-hidden="true"></span>
<noscript><p class="without-scripts">${without}</p></noscript>
</div>`,
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
  })

/** Ignores a repeated parameter. */
const single = (value: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof value === "string" ? value : undefined

const page = Effect.gen(function* () {
  const { find } = yield* Embedding
  const { id = "" } = yield* HttpRouter.params
  const { frame, token } = yield* HttpServerRequest.ParsedSearchParams
  const embeddable = yield* find({ sessionId: id, token: single(token), ticket: single(frame) })
  return yield* respondWith({
    files: first,
    values: {
      ...(yield* Assets.addresses({ ...later, ...locales })),
      // What a framed page needs before it can call the API.
      ...(embeddable && { "frame-origins": embeddable.origins.join(" "), "frame-ticket": embeddable.ticket })
    },
    without:
      "This page needs scripts to verify your identity.\nPlease allow scripts for it, or open the link in another browser.",
    ancestors: embeddable?.origins ?? []
  })
})

/** Says at an address below `/kyc/` that the link does not work, in the reader's language. */
export const brokenLink = Effect.flatMap(Assets.addresses(locales), (values) =>
  respondWith({
    files: first,
    values,
    without:
      "This link does not work. It may be incomplete.\nCheck the message that contained it, or ask the company that sent it for a new one.",
    ancestors: []
  })
).pipe(Effect.map(HttpServerResponse.setStatus(404)))

/** The draft comes from the framing page, never from the URL: a link could show any content here. */
const previewPage = Effect.flatMap(Assets.addresses(locales), (values) =>
  respondWith({
    files: { ...first, ...preview },
    values,
    without: "The preview needs scripts.",
    ancestors: ["'self'"]
  })
)

/** Shows a receipt, and checks it with the keys that this origin publishes. The receipt is in the fragment or in a file, and never sent. */
const receiptPage = Effect.flatMap(Assets.addresses(locales), (values) =>
  respondWith({
    files: { ...first, ...receipt },
    values,
    without:
      "The check of a receipt needs scripts. The command line can check it, too: bun cli receipt verify",
    ancestors: []
  })
)

export const layer = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const respond = Effect.provide(page, yield* Effect.context<Config | Embedding>())
    yield* router.get("/kyc/session/:id", respond)
    yield* router.get("/kyc/session/:id/done", respond)
    yield* router.get("/dashboard/preview", Effect.provide(previewPage, yield* Effect.context<Config>()))
    yield* router.get("/receipt", Effect.provide(receiptPage, yield* Effect.context<Config>()))
    yield* router.get("/receipt/", withoutSlash)
    for (const assets of [first, later, locales, preview, receipt, { embed }]) {
      yield* Assets.addRoutes(router, Object.values(assets))
    }
  })
)
