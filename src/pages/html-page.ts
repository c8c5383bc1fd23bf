import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect } from "effect"

interface Content {
  readonly title: string
  readonly icon: string
  readonly styles: ReadonlyArray<string>
  /** Addresses of the fonts that every visitor needs, so that the browser asks for them before it has read the style sheet. */
  readonly fonts?: ReadonlyArray<string>
  /** Contents of `meta` elements by name, besides those of every page. */
  readonly metas?: Readonly<Record<string, string>>
  /** The address of the same page as Markdown. */
  readonly asMarkdown?: string
  /** `script` elements. The policy forbids inline scripts, so values for them are in `metas`. */
  readonly scripts?: string
  readonly body: string
}

interface Protection {
  /** Content Security Policy, besides the directives of every page. */
  readonly policy: ReadonlyArray<string>
  /** The origins that may show the page in a frame; none by default. */
  readonly ancestors?: ReadonlyArray<string>
  /** Whether it has a form, which leads to a page of the same origin. */
  readonly hasForm?: boolean
  /** The policy that may write HTML from scripts, or `'none'`. */
  readonly trustedTypes?: string
  /** Served over https, so that it requests everything else over https too. */
  readonly secure: boolean
  /** They override those of every page. */
  readonly headers: Readonly<Record<string, string>>
}

/** The HTML of a page, which needs the headers of `pageHeaders`. */
export const pageHtml = ({
  asMarkdown,
  body,
  fonts = [],
  icon,
  metas,
  scripts = "",
  styles,
  title
}: Content) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${Bun.escapeHTML(title)}</title>
<link rel="icon" type="image/svg+xml" href="${icon}">
${styles.map((style) => `<link rel="stylesheet" href="${style}">`).join("\n")}
${fonts.map((font) => `<link rel="preload" as="font" type="font/woff2" crossorigin href="${font}">`).join("\n")}
${Object.entries({
  viewport: "width=device-width, initial-scale=1, viewport-fit=cover",
  "color-scheme": "light dark",
  ...metas
})
  .map(([name, content]) => `<meta name="${name}" content="${Bun.escapeHTML(content)}">`)
  .join("\n")}
${asMarkdown === undefined ? "" : `<link rel="alternate" type="text/markdown" href="${asMarkdown}">`}
${scripts}
</head>
<body>
${body}
</body>
</html>
`

/** The security headers of a page. */
export const pageHeaders = ({
  ancestors = [],
  hasForm = false,
  headers,
  policy,
  secure,
  trustedTypes
}: Protection) => ({
  "content-security-policy": [
    "default-src 'none'",
    ...policy,
    "base-uri 'none'",
    `form-action ${hasForm ? "'self'" : "'none'"}`,
    "object-src 'none'",
    `frame-ancestors ${ancestors.length === 0 ? "'none'" : ancestors.join(" ")}`,
    ...(trustedTypes === undefined
      ? []
      : ["require-trusted-types-for 'script'", `trusted-types ${trustedTypes}`]),
    ...(secure ? ["upgrade-insecure-requests"] : [])
  ].join("; "),
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cross-origin-opener-policy": "same-origin",
  ...headers
})

/** An HTML page with its security headers. */
export const htmlPage = (options: Content & Protection) =>
  HttpServerResponse.text(pageHtml(options), {
    contentType: "text/html; charset=utf-8",
    headers: pageHeaders(options)
  })

/** Sends `/docs/?a=b` on to `/docs?a=b`, for good. Only for the routes of pages: no address of another origin may follow. */
export const withoutSlash = Effect.map(HttpServerRequest.HttpServerRequest, ({ url }) => {
  const { pathname, search } = new URL(url, "http://doorlock")
  return HttpServerResponse.empty({
    status: 308,
    headers: { location: pathname.slice(0, -1) + search, "cache-control": "no-cache" }
  })
})
