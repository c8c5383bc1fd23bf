/** The page that frames this one, and the events sent to it. */
import { createContext, type RefObject } from "preact"
import { useContext, useEffect } from "preact/hooks"
import { framed, told } from "../screens/surroundings.ts"
import type { Opened } from "../sessions/token.ts"
import { type EmbedReport, message } from "./events.ts"

export interface Embedder {
  readonly framed: boolean
  /** Whether each step gets an entry in the browser's history. */
  readonly keepsHistory: boolean
  readonly tell: (event: EmbedReport) => void
}

/**
 * An embedder receives events only if it names its origin and the session's config allows that origin. The
 * server reveals the allowed origins only to holders of the session's token.
 */
export const embedderOf = ({ embedOrigin, sessionId }: Opened): Embedder => {
  const allowed = told("frame-origins")?.split(" ") ?? []
  return {
    framed: framed(),
    keepsHistory: true,
    tell: (event) => {
      if (!framed() || embedOrigin === undefined || !allowed.includes(embedOrigin)) return
      window.parent.postMessage(message(sessionId, event), embedOrigin)
    }
  }
}

/** Reports the page's height now and after every change. */
export const tellHeight = ({ tell }: Embedder): void => {
  let before = 0
  new ResizeObserver(() => {
    const height = Math.ceil(document.body.getBoundingClientRect().height)
    if (height === before) return
    before = height
    tell({ type: "resize", height })
  }).observe(document.body)
}

export const EmbedderContext = createContext<Embedder>({ framed: false, keepsHistory: false, tell: () => {} })

export const useEmbedder = (): Embedder => useContext(EmbedderContext)

/** Scrolls a box into view when its size changes; in a frame, only while the reader is in the frame. */
export const useInSight = (box: RefObject<HTMLElement | null>): void => {
  const { framed } = useEmbedder()
  useEffect(() => {
    if (box.current === null) return
    const sizes = new ResizeObserver(() => {
      if (!framed || document.hasFocus()) box.current?.scrollIntoView({ block: "nearest" })
    })
    sizes.observe(box.current)
    return () => sizes.disconnect()
  }, [box, framed])
}
