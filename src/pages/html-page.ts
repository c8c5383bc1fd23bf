import * as HttpServerResponse from "@effect/platform/HttpServerResponse"

interface Options {
  /** Content Security Policy, besides the directives of every page. */
  readonly policy: ReadonlyArray<string>
  /** The origins that may show the page in a frame; none by default. */
  readonly ancestors?: ReadonlyArray<string>
  /** The policy that may write HTML from scripts, or `'none'`; unset for a page without scripts. */
  readonly trustedTypes?: string
  /** Served over https, so that it requests everything else over https too. */
  readonly secure: boolean
  /** They override those of every page. */
  readonly headers: Readonly<Record<string, string>>
}

/** An HTML page with its security headers. */
export const htmlPage = (html: string, { ancestors = [], headers, policy, secure, trustedTypes }: Options) =>
  HttpServerResponse.text(html, {
    contentType: "text/html; charset=utf-8",
    headers: {
      "content-security-policy": [
        "default-src 'none'",
        ...policy,
        "base-uri 'none'",
        "form-action 'none'",
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
    }
  })
