import type { RefObject } from "preact"
import { useEffect } from "preact/hooks"
import { useEmbedder } from "./embedder.ts"

/**
 * Scrolls a box into sight when it is shown, and whenever it becomes another size: once its picture has loaded, or when the device is
 * turned. In a frame not while the reader is busy in the page around it.
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
