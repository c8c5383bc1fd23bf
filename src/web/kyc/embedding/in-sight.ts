import type { RefObject } from "preact"
import { useEffect } from "preact/hooks"
import { useEmbedder } from "./embedder.ts"

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
