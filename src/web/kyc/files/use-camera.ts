/** The camera that is open, and the dialog that shows it. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import { useEmbedder, useInSight } from "../embedding/embedder.ts"
import { useFlow } from "../screens/parts.tsx"
import { type CameraFailure, type Facing, failureOf, hasLight, hasSeveral, open, stop } from "./stream.ts"

interface Opened {
  /** Undefined while another camera starts. The buttons stay meanwhile, so that one keeps the focus. */
  readonly stream: MediaStream | undefined
  readonly light: boolean
  readonly several: boolean
}

/** Opens the camera, and again when another one is chosen. */
export const useCamera = (facing: Facing, onFailure: (report: CameraFailure) => void) => {
  const flow = useFlow()
  const video = useRef<HTMLVideoElement>(null)
  const [opened, setOpened] = useState<Opened>()
  // The camera opens only once, but the callback may change.
  const report = useRef(onFailure)
  report.current = onFailure

  useEffect(() => {
    let stream: MediaStream | undefined
    let unmounted = false
    const fail = (kind: CameraFailure) => {
      if (unmounted) return
      flow.noteCamera(kind === "cameraDenied" ? "denied" : "unavailable")
      report.current(kind)
    }
    const start = async () => {
      // An insecure page has no `mediaDevices`, whatever the types say.
      if (!isSecureContext) return fail("cameraInsecure")
      try {
        stream = await open(facing)
        if (unmounted || video.current === null) return stop(stream)
        flow.noteCamera("granted")
        // Unplugged, or taken by the system: the last picture would freeze.
        for (const track of stream.getTracks()) track.onended = () => fail("cameraStopped")
        video.current.srcObject = stream
        await video.current.play()
        const several = await hasSeveral()
        if (!unmounted) setOpened({ stream, light: hasLight(stream), several })
      } catch (error) {
        if (stream !== undefined) stop(stream)
        fail(failureOf(error))
      }
    }
    setOpened((before) => before && { ...before, stream: undefined })
    void start()
    return () => {
      unmounted = true
      // A phone allows only one use at a time, and the next step opens the camera again.
      if (stream !== undefined) stop(stream)
    }
  }, [facing, flow])

  return { opened, video }
}

/**
 * Covers the screen, but in a frame only a part of the page, as high as the part of the frame that is on the screen when the camera opens: a
 * higher one might hide its shutter.
 */
export const useFullScreen = () => {
  const { framed } = useEmbedder()
  const dialog = useRef<HTMLDialogElement>(null)
  useInSight(dialog)
  useLayoutEffect(() => {
    const { current } = dialog
    if (framed) current?.show()
    else current?.showModal()
    const seen = new IntersectionObserver(([entry]) => {
      current?.style.setProperty("--seen", `${Math.floor(entry?.intersectionRect.height ?? 0)}px`)
      seen.disconnect()
    })
    if (framed) seen.observe(document.documentElement)
    return () => {
      seen.disconnect()
      current?.close()
    }
  }, [framed])
  return dialog
}
