/**
 * Links between pages of the docs replace only the content, so that the key of “Try it” survives in the tab's memory. Browsers
 * without the Navigation API load whole pages.
 */

const isDocs = ({ origin, pathname }: URL): boolean =>
  origin === location.origin &&
  /^\/docs(?:\/events|\/examples|\/(?:examples|guides|operations)\/[^/]+)?$/.test(pathname) &&
  !pathname.endsWith(".md")

/** A page as a document. Unlike `DOMParser`, this is allowed where scripts may write no HTML. */
const load = (url: URL, signal: AbortSignal): Promise<Document> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open("GET", url)
    request.responseType = "document"
    request.addEventListener("load", () => {
      if (request.status === 200 && request.responseXML !== null) resolve(request.responseXML)
      else reject(new Error(`The page answered ${request.status}`))
    })
    request.addEventListener("error", () => reject(new Error("The page did not load")))
    signal.addEventListener("abort", () => {
      request.abort()
      reject(signal.reason)
    })
    request.send()
  })

const showCurrent = (pathname: string) => {
  for (const link of document.querySelectorAll<HTMLAnchorElement>("#pages a")) {
    if (link.pathname !== pathname) {
      link.removeAttribute("aria-current")
      continue
    }
    link.setAttribute("aria-current", "page")
    const goal = link.closest("details")
    if (goal !== null) goal.open = true
    link.scrollIntoView({ block: "nearest" })
  }
}

/** @param enhance called with the content of each page */
export const followLinks = (enhance: (main: HTMLElement) => void) => {
  if (!("navigation" in globalThis)) return
  let shown = location.pathname
  navigation.addEventListener("navigate", (event) => {
    const url = new URL(event.destination.url)
    if (!event.canIntercept || event.downloadRequest !== null || event.navigationType === "reload") return
    // Another place on the same page.
    if (!isDocs(url) || url.pathname === shown) return
    event.intercept({
      focusReset: "manual",
      handler: async () => {
        const page = await load(url, event.signal).catch((error: unknown) => {
          if (!event.signal.aborted) location.assign(url)
          throw error
        })
        const main = page.querySelector("main")
        const old = document.querySelector("main")
        if (main === null || old === null) return
        old.replaceWith(main)
        shown = url.pathname
        document.title = page.title
        document.querySelector('link[rel="alternate"]')?.setAttribute("href", `${url.pathname}.md`)
        showCurrent(url.pathname)
        const contents = document.getElementById("contents")
        if (contents?.matches(":popover-open")) contents.hidePopover()
        enhance(main)
        main.querySelector("h1")?.focus({ preventScroll: true })
      }
    })
  })
}
