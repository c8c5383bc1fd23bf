/** A partner's web site that shows the hosted page in a frame, on its own origin and site. */
import { Effect } from "effect"
import type { Frame, Page } from "playwright-core"

/** A message as the partner's page received it. */
export interface Heard {
  readonly origin: string
  readonly data: unknown
}

/** Records every message that arrives by `postMessage`. */
const listener = `
window.heard = []
window.events = []
addEventListener("message", ({ data, origin }) => heard.push({ origin, data }))
`

/** Embeds the page with `embed.js`; the fragment contains the link to the session. */
const mounting = `
window.mounted = doorlock.mount("#kyc", {
  verificationUrl: decodeURIComponent(location.hash.slice(1)),
  title: "Check of who you are",
  onEvent: (event) => events.push(event),
  on: { error: ({ code }) => { document.title = code } }
})
`

/** Embeds the page with a hand-written frame. */
const framing = `
const frame = document.createElement("iframe")
frame.src = decodeURIComponent(location.hash.slice(1))
frame.allow = "camera"
frame.title = "Check of who you are"
frame.width = "100%"
frame.height = "900"
document.getElementById("kyc").append(frame)
`

const html = (scripts: ReadonlyArray<string>) => `<!doctype html>
<html lang="en">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Shop</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/shop.css">
<header><strong>A shop</strong></header>
<h1>One more thing</h1>
<p>Before your first order we have to know who you are.</p>
<main id="kyc"></main>
${scripts.map((address) => `<script src="${address}"></script>`).join("\n")}
</html>
`

const css = `body { margin: 0 auto; max-width: 60rem; padding: 1rem; font: 1rem sans-serif; background: #fff; color: #222 }`

const text = (body: string, type: string, headers: Record<string, string> = {}) =>
  new Response(body, { headers: { "content-type": `${type}; charset=utf-8`, ...headers } })

/**
 * The site, with the strictest policy that still permits what the documentation of embedding names. It answers to every
 * name that ends in `.localhost`, which a browser takes for this machine.
 *
 * @param doorlock origin of the service
 */
export const partnerSite = (doorlock: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() =>
        Bun.serve({
          port: 0,
          hostname: "127.0.0.1",
          fetch: (request) => {
            const policy = [
              "default-src 'none'",
              `script-src 'self' ${doorlock}`,
              `frame-src ${doorlock}`,
              "style-src 'self'",
              "img-src data:",
              "require-trusted-types-for 'script'"
            ].join("; ")
            const page = (...scripts: ReadonlyArray<string>) =>
              text(html(["/listener.js", ...scripts]), "text/html", { "content-security-policy": policy })
            switch (new URL(request.url).pathname) {
              case "/":
                return page(`${doorlock}/kyc/embed.js`, "/mounting.js")
              case "/by-hand":
                return page("/framing.js")
              case "/listener.js":
                return text(listener, "text/javascript")
              case "/mounting.js":
                return text(mounting, "text/javascript")
              case "/framing.js":
                return text(framing, "text/javascript")
              case "/shop.css":
                return text(css, "text/css")
              default:
                return new Response(null, { status: 404 })
            }
          }
        })
      ),
      (server) => Effect.promise(() => server.stop(true))
    ),
    ({ port }) => ({
      /**
       * The site's origin under a host name. Under the service's own name, `127.0.0.1`, it is another origin
       * of the same site.
       */
      origin: (host: string) => `http://${host}:${port}`
    })
  )

/** The frame on a partner's page, once it exists. */
export const frameOn = async (page: Page): Promise<Frame> => {
  const element = await page.locator("#kyc iframe").elementHandle()
  const frame = await element?.contentFrame()
  if (frame === null || frame === undefined) throw new Error("There is no frame")
  return frame
}

/** All messages that the partner's page received, from any sender. */
export const heardOn = (page: Page): Promise<ReadonlyArray<Heard>> => page.evaluate("heard")

/** The events that `embed.js` passed on, to `onEvent` or as events of the element. */
export const eventsOn = (page: Page): Promise<ReadonlyArray<Record<string, unknown>>> =>
  page.evaluate("events")
