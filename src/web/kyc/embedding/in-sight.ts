import type { RefObject } from "preact"
import { useEffect } from "preact/hooks"
import { useEmbedder } from "./embedder.ts"

/**
 * Scrolls a box into view when it appears and whenever its size changes: after its picture has loaded, or when the
 * device is rotated. In a frame, not while the end user is busy in the surrounding page.
 */
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
