/** The page around this one, when it is shown in a frame, and what it is told. */
import { createContext } from "preact"
import { useContext } from "preact/hooks"
import { framed, told } from "../screens/surroundings.ts"
import type { Opened } from "../sessions/token.ts"
import { message, type PageEvent } from "./events.ts"

export interface Embedder {
  readonly framed: boolean
  /** Sends an event to the one origin that asked for it and may have it; otherwise nothing happens. */
  readonly tell: (event: PageEvent) => void
}

/**
 * The embedder of this page. It is told something only when it has named its origin and that is one of those that the
 * session's config allows, which the server tells to nobody but who has the session's token; the browser then delivers to a
 * parent of that origin only.
 */
export const embedderOf = ({ embedOrigin, sessionId }: Opened): Embedder => {
  if (!framed()) return { framed: false, tell: () => {} }
  const allowed =
    told("frame-origins")
      ?.split(" ")
      .includes(embedOrigin ?? "") ?? false
  if (embedOrigin === undefined || !allowed) return { framed: true, tell: () => {} }
  return {
    framed: true,
    tell: (event) => window.parent.postMessage(message(sessionId, event), embedOrigin)
  }
}

/** Tells how high the page is, from now on and whenever that changes. */
export const tellHeight = ({ tell }: Embedder): void => {
  let before = 0
  new ResizeObserver(() => {
    const height = Math.ceil(document.body.getBoundingClientRect().height)
    if (height === before) return
    before = height
    tell({ type: "resize", height })
  }).observe(document.body)
}

export const EmbedderContext = createContext<Embedder>({ framed: false, tell: () => {} })

export const useEmbedder = (): Embedder => useContext(EmbedderContext)
