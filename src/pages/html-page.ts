import * as HttpServerResponse from "@effect/platform/HttpServerResponse"

interface Options {
  /** The directives of its Content Security Policy, besides those of every page. */
  readonly policy: ReadonlyArray<string>
  /** The origins that may show the page in a frame; none by default. */
  readonly ancestors?: ReadonlyArray<string>
  /** The policy that may write HTML from scripts; `'none'` for none. A page without scripts does not say it. */
  readonly trustedTypes?: string
  /** Whether the page is served over https, so that it requests everything else over https too. */
  readonly secure: boolean
  /** Headers besides those of every page, or with another value. */
  readonly headers: Readonly<Record<string, string>>
}

/** The response with an HTML page, and the security headers of every page. */
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
