/** Live hints of an open camera, and when to take the picture without a tap. */
import type { RefObject } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { after, kycTimes, type Timer } from "../../timing.ts"
import { seenOf } from "../files/image.ts"
import { ownWorker } from "../screens/own-worker.ts"
import { told } from "../screens/surroundings.ts"
import type { Hint } from "./frame.ts"
import type { Answer, Question } from "./messages.ts"

/** The width of the frames that are looked at, in pixels. */
const frameWidth = 640

/** A hint is shown after so many equal looks, so that it does not flicker. */
const looksForHint = 4

/** The picture is taken after so many good looks. Before a photo of their face, people read what to do. */
const looksForPicture = { document: 5, face: 12 }

/** The picture waits for so many more good looks, in which the document may be read. */
const looksForReading = 20

/** In levels of grey: the end user has moved since the last picture, and so follows the next instruction. */
const movedAbove = 6

interface Watching {
  readonly video: RefObject<HTMLVideoElement | null>
  /** The outline on the screen, within the video. */
  readonly outline: RefObject<HTMLElement | null>
  readonly subject: "document" | "face"
  /** Names the picture to take; undefined while none is to be taken. */
  readonly shot: string | undefined
  /** Whether the end user must have moved before the picture is taken: a photo in another pose follows one. */
  readonly afterMoving: boolean
  /** Whether the document in front of the camera is still being read, which makes the picture wait for a few seconds. */
  readonly isReading: () => boolean
  readonly onGood: () => void
}

const outlineIn = (video: HTMLVideoElement, outline: HTMLElement) => {
  const whole = video.getBoundingClientRect()
  const { height, width, x, y } = outline.getBoundingClientRect()
  return {
    x: (x - whole.x) / whole.width,
    y: (y - whole.y) / whole.height,
    width: width / whole.width,
    height: height / whole.height
  }
}

/** Counts the looks since the last picture. */
const counter = (needed: number) => {
  let same = 0
  let last: Hint | undefined
  let moved = false
  return {
    /** What to show, or whether to take the picture. */
    take: (
      { hint, motion }: Answer,
      afterMoving: boolean,
      isReading: boolean
    ): "picture" | "nothing" | { readonly hint: Hint | "hintReading" | undefined } => {
      moved ||= motion !== undefined && motion > movedAbove
      same = hint === last ? same + 1 : 1
      last = hint
      const waited = same >= needed + (isReading ? looksForReading : 0)
      if (hint === undefined && waited && (moved || !afterMoving)) return "picture"
      if (same < looksForHint) return "nothing"
      return { hint: hint ?? (isReading ? "hintReading" : undefined) }
    }
  }
}

/** The hint to show. Without a worker, or where the browser cannot draw in one, there are none, and the shutter is enough. */
export const useHints = ({
  afterMoving,
  isReading,
  onGood,
  outline,
  shot,
  subject,
  video
}: Watching): Hint | "hintReading" | undefined => {
  const [hint, setHint] = useState<Hint | "hintReading">()
  const good = useRef(onGood)
  good.current = onGood
  const reading = useRef(isReading)
  reading.current = isReading

  useEffect(() => {
    setHint(undefined)
    if (shot === undefined || typeof OffscreenCanvas === "undefined") return
    const worker = ownWorker("hints")
    if (worker === undefined) return
    const looks = counter(looksForPicture[subject])
    let timer: Timer | undefined
    let over = false

    const ask = async () => {
      if (video.current === null || outline.current === null || over) return
      try {
        const [x, y, width, height] = seenOf(video.current)
        const frame = await createImageBitmap(video.current, x, y, width, height, {
          resizeWidth: frameWidth,
          resizeHeight: Math.round((frameWidth * height) / width)
        })
        if (over) return frame.close()
        const question: Question = {
          frame,
          outline: outlineIn(video.current, outline.current),
          subject,
          needs: subject === "face" ? told("face-weights") : undefined
        }
        worker.postMessage(question, [frame])
      } catch {
        // The first frame has not come yet.
        timer = after(kycTimes.frame, ask)
      }
    }
    worker.onmessage = ({ data }: MessageEvent<Answer>) => {
      if (over) return
      const found = looks.take(data, afterMoving, reading.current())
      if (found === "picture") return good.current()
      if (found !== "nothing") setHint(found.hint)
      timer = after(kycTimes.frame, ask)
    }
    void ask()
    return () => {
      over = true
      timer?.cancel()
      worker.terminate()
    }
  }, [shot, subject, afterMoving, video, outline])

  return hint
}
