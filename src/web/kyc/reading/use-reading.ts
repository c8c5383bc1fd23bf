/** Reads the document in front of an open camera, and in the photo that was taken or chosen. */
import { useEffect, useMemo, useRef } from "preact/hooks"
import type { ZoneFormat } from "../../../kyc/checks/zone-model.ts"
import { seenOf } from "../files/image.ts"
import type { DocumentType } from "../instances/workflow.ts"
import { ownWorker } from "../screens/own-worker.ts"
import { told } from "../screens/surroundings.ts"
import type { Answer, Fields, Question } from "./messages.ts"
import { votes } from "./votes.ts"

/** The zones that a document may have. */
const formatsOf: Readonly<Record<DocumentType, ReadonlyArray<ZoneFormat>>> = {
  passport: ["TD3"],
  id_card: ["TD1", "TD2"],
  residence_permit: ["TD1", "TD2"],
  driving_licence: []
}

/** Around the outline, as a share of it: nobody fills it exactly. */
const margin = 0.12

export interface Reading {
  /** Reads frames until the returned function is called. */
  readonly watch: (video: HTMLVideoElement, outline: HTMLElement) => () => void
  /** Whether a document that is in the outline has been read well enough. */
  readonly isDone: () => boolean
  /** Reads the photo, which is the last that is shown. */
  readonly look: (photo: Blob) => void
}

/** The part of the video that is to be read, in its own pixels. */
const partOf = (video: HTMLVideoElement, outline: HTMLElement) => {
  const [x, y, width, height] = seenOf(video)
  const whole = video.getBoundingClientRect()
  const part = outline.getBoundingClientRect()
  const scale = width / whole.width
  const [across, down] = [margin * part.width, margin * part.height]
  const left = Math.max(0, part.left - whole.left - across)
  const top = Math.max(0, part.top - whole.top - down)
  const right = Math.min(whole.width, part.right - whole.left + across)
  const bottom = Math.min(whole.height, part.bottom - whole.top + down)
  return [
    Math.round(x + left * scale),
    Math.round(y + top * scale),
    Math.max(1, Math.min(width, Math.round((right - left) * scale))),
    Math.max(1, Math.min(height, Math.round((bottom - top) * scale)))
  ] as const
}

/** Before the camera is asked for a frame again, if it has none yet, in milliseconds. */
const pauseMillis = 100

const documentReader = (formats: ReadonlyArray<ZoneFormat>, onRead: (fields: Fields) => void) => {
  let worker: Worker | undefined
  let closed = false
  let heard = votes()
  /** The worker answers one question at a time. */
  let last: Promise<unknown> = Promise.resolve()

  /** Undefined without a picture: the camera has shown none yet, or the file is none. */
  const ask = (make: () => Promise<ImageBitmap>): Promise<Answer | undefined> => {
    const asked = last.then(async () => {
      const needs = told("zone-weights")
      worker ??= ownWorker("zones")
      if (closed || worker === undefined || needs === undefined) return undefined
      const picture = await make().catch(() => undefined)
      if (picture === undefined) return undefined
      const question: Question = { picture, formats, needs }
      worker.postMessage(question, [picture])
      return new Promise<Answer>((resolve) => {
        if (worker !== undefined) worker.onmessage = ({ data }: MessageEvent<Answer>) => resolve(data)
      })
    })
    last = asked
    return asked
  }

  const watch = (video: HTMLVideoElement, outline: HTMLElement) => {
    const watched = votes()
    heard = watched
    let over = false
    const watching = async () => {
      while (!over && !watched.isDecided()) {
        const answer = await ask(() => createImageBitmap(video, ...partOf(video, outline)))
        if (answer === undefined) await new Promise((resolve) => setTimeout(resolve, pauseMillis))
        else watched.add(answer)
      }
    }
    void watching()
    return () => {
      over = true
    }
  }

  const look = async (photo: Blob): Promise<void> => {
    const watched = heard
    heard = votes()
    if (!watched.isDecided()) {
      const answer = await ask(() => createImageBitmap(photo))
      if (answer !== undefined) watched.add(answer)
    }
    if (!closed) onRead(watched.finally())
  }

  const close = () => {
    closed = true
    worker?.terminate()
  }

  return { watch, isDone: () => heard.isDecided(), look: (photo: Blob) => void look(photo), close }
}

/** Undefined where there is nothing to read, or where the browser cannot draw in a worker. */
export const useReading = (
  type: DocumentType | "",
  onRead: (fields: Fields) => void
): Reading | undefined => {
  const read = useRef(onRead)
  read.current = onRead
  const reader = useMemo(() => {
    const formats = type === "" ? [] : formatsOf[type]
    if (formats.length === 0 || typeof OffscreenCanvas === "undefined") return undefined
    return documentReader(formats, (fields) => read.current(fields))
  }, [type])
  useEffect(() => () => reader?.close(), [reader])
  return reader
}
