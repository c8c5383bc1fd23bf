/** `/`: what doorlock is, without scripts; also icons, `/robots.txt` and `/.well-known/security.txt`. */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Clock, Effect } from "effect"
import { Config, type Configuration } from "../config.ts"
import { compressed } from "../http/runtime/compressed.ts"
import { type IconName, icons } from "../web/brand/icons.ts"
import { markHtml } from "../web/brand/mark.ts"
import * as Assets from "./assets.ts"
import * as Bundles from "./bundles.ts"
import { htmlPage } from "./html-page.ts"

const plainText = "text/plain; charset=utf-8"

/** Other pages carry `noindex` instead, which a robot sees only if it may read the page. */
const robots = `User-agent: *
Disallow: /api/
Disallow: /gateway/
`

const assets = {
  style: Bundles.style("/assets/front.css", "front/front.css"),
  icon: Assets.icon("/favicon.svg"),
  // For clients that have not read a page.
  oldIcon: Assets.make("/favicon.ico", "image/x-icon", () => Assets.web("brand/mark.ico").bytes()),
  // iOS asks for it at this address when somebody puts the page on the home screen.
  touchIcon: Assets.make("/apple-touch-icon.png", "image/png", () => Assets.web("brand/mark.png").bytes()),
  ...Assets.typeface,
  robots: Assets.make("/robots.txt", plainText, async () => new TextEncoder().encode(robots))
}

const symbol = (name: IconName): string =>
  `<svg class="icon symbol" viewBox="0 0 24 24" aria-hidden="true"><path d="${icons[name]}"/></svg>`

const lost = `<p class="lost">Were you asked to verify your identity? Open the link in the message that you received. It leads to your own
verification page.</p>`

const front = ({ baseUrl, signupOpen }: Configuration) => `<section class="hero">
<div>
<h1>Know your users. Share your APIs.</h1>
<p class="lead">doorlock verifies the identity of your users, issues API keys to your servers, and runs a marketplace in which
companies publish APIs and subscribe to them. One service, one API.</p>
<p class="row">
<a class="button primary" href="/dashboard">Open the dashboard</a>
<a class="button" href="/docs">Read the docs</a>
</p>${
  signupOpen
    ? `
<p class="aside">New here? <a href="/dashboard/sign-up">Sign up your company</a></p>`
    : ""
}
</div>
<figure>
<figcaption>Your server starts a verification</figcaption>
<pre><code>curl ${Bun.escapeHTML(baseUrl)}/api/kyc/public/sessions \\
  -H "x-api-key: $API_KEY" \\
  -H "content-type: application/json" \\
  -d '{"instanceKey": "kyc_pk_…"}'</code></pre>
<p>The response has a <code>verificationUrl</code>. Send your user there.</p>
</figure>
</section>
<ul class="offers">
<li>
${symbol("instances")}
<h2>Verify people</h2>
<p>Your users confirm who they are on a hosted page, with photos of a document, personal details and a selfie. The page works on
phones and computers, in six languages. Your reviewers decide, and a webhook tells your server.</p>
<p class="more"><a href="/docs/guides/quickstart">Verify a test person</a></p>
</li>
<li>
${symbol("keys")}
<h2>Control access</h2>
<p>Give each of your servers a key with its own scopes and expiry date. A revoked key stops working within a second. An audit trail
shows who did what.</p>
<p class="more"><a href="/docs/guides/keys">Choose scopes</a></p>
</li>
<li>
${symbol("publishing")}
<h2>Share APIs</h2>
<p>Publish an API with versions and plans, or subscribe to another company's API. The gateway checks every key, enforces the limits
of the plan, and counts the calls.</p>
<p class="more"><a href="/docs/guides/publishing">Publish an API</a></p>
</li>
</ul>
${lost}`

const unknown = `<section class="hero">
<div>
<h1>There is no page here</h1>
<p class="lead">The address may contain a mistake, or the page has moved.</p>
</div>
<search>
<form class="find" action="/docs">
<label for="q">Search the docs</label>
<p class="row">
<input id="q" name="q" type="search" required autocomplete="off">
<button class="button primary">Search</button>
</p>
</form>
</search>
</section>
<ul class="offers">
<li>
${symbol("docs")}
<h2><a href="/docs">Docs</a></h2>
<p>Guides, and every operation of the API.</p>
</li>
<li>
${symbol("overview")}
<h2><a href="/dashboard">Dashboard</a></h2>
<p>The sessions, keys and APIs of your company.</p>
</li>
<li>
${symbol("browse")}
<h2><a href="/">Front page</a></h2>
<p>What doorlock is, and what it offers.</p>
</li>
</ul>
${lost}`

/** What surrounds the content of both pages. */
const frame = (
  main: string,
  { securityContact }: Pick<Configuration, "securityContact">
) => `<header class="top">
<p class="brand">${markHtml} doorlock</p>
<nav aria-label="Main">
<a href="/docs">Docs</a>
<a class="button" href="/dashboard">Sign in</a>
</nav>
</header>
<main>
${main}
</main>
<footer>
<ul>
<li><a href="/docs/guides/typescript-client">TypeScript client</a></li>
<li><a href="/docs/examples">Examples</a></li>
<li><a href="/docs/guides/mcp">Agents (MCP)</a></li>
<li><a href="/openapi.json">OpenAPI document</a></li>
<li><a href="/readyz">Health</a></li>${
  securityContact === undefined
    ? ""
    : `
<li><a href="/.well-known/security.txt">Report a security problem</a></li>`
}
</ul>
</footer>`

interface Page {
  readonly title: string
  readonly metas: Readonly<Record<string, string>>
  readonly main: (config: Configuration) => string
  readonly hasForm?: boolean
}

const pageOf = ({ hasForm = false, main, metas, title }: Page) =>
  Effect.gen(function* () {
    const config = yield* Config
    const { icon, style } = yield* Assets.addresses(assets)
    return htmlPage({
      title,
      icon,
      styles: [style],
      fonts: [Assets.typeface.latin.path],
      metas,
      body: frame(main(config), config),
      policy: ["style-src 'self'", "img-src 'self'", "font-src 'self'"],
      hasForm,
      secure: config.appUrl.startsWith("https:"),
      // The page names its style sheet by hash, so an old copy would request a file that no longer exists.
      headers: { "cache-control": "no-cache" }
    })
  })

const page = Effect.flatMap(
  pageOf({
    title: "doorlock",
    metas: { description: "doorlock verifies identities, issues API keys, and runs an API marketplace." },
    main: front
  }),
  compressed
)

/** Says that there is no page at an address, and where else to look. */
export const unknownPage = Effect.map(
  pageOf({
    title: "There is no page here | doorlock",
    metas: { robots: "noindex" },
    main: () => unknown,
    hasForm: true
  }),
  HttpServerResponse.setStatus(404)
)

const dayMillis = 86_400_000

/** Validity of `security.txt` in days, renewed daily; RFC 9116 recommends less than a year. */
const securityDays = 180

const securityText = (contact: string) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const today = now - (now % dayMillis)
    const expires = new Date(today + securityDays * dayMillis).toISOString()
    return compressed(
      HttpServerResponse.text(`Contact: ${contact}\nExpires: ${expires}\n`, {
        contentType: plainText,
        headers: { "cache-control": "no-cache" }
      })
    )
  })

export const layer = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const { securityContact } = yield* Config
    yield* router.get("/", Effect.provide(page, yield* Effect.context<Config>()))
    yield* Assets.addRoutes(router, Object.values(assets))
    if (securityContact !== undefined)
      yield* router.get("/.well-known/security.txt", securityText(securityContact))
  })
)
