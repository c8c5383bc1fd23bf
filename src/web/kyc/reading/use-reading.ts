/** Reads the document in front of an open camera, and in the photo that was taken or chosen. */
import { useEffect, useMemo, useRef } from "preact/hooks"
import type { ZoneFormat } from "../../../kyc/checks/zone-layouts-model.ts"
import { licencesWithBarcodes } from "../../../kyc/instances/country-model.ts"
import { kycTimes, sleep } from "../../timing.ts"
import { seenOf } from "../files/image.ts"
import type { DocumentType } from "../instances/workflow.ts"
import { ownWorker } from "../screens/own-worker.ts"
import { told } from "../screens/surroundings.ts"
import type { Answer, Fields, Question } from "./messages.ts"
import { votes } from "./votes.ts"

/** How a document is read. */
interface Means {
  readonly worker: "barcodes" | "zones"
  /** The name of the address of the file that the worker needs. */
  readonly needs: string
  readonly formats: ReadonlyArray<ZoneFormat>
}

const zones = (...formats: ReadonlyArray<ZoneFormat>): Means => ({
  worker: "zones",
  needs: "zone-weights",
  formats
})

const meansOf: Readonly<Record<DocumentType, Means>> = {
  passport: zones("TD3"),
  id_card: zones("TD1", "TD2"),
  residence_permit: zones("TD1", "TD2"),
  driving_licence: { worker: "barcodes", needs: "barcode-program", formats: [] }
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
  /** The server has that photo, as this file. It reads it if the browser finds nothing, or takes too long. */
  readonly sent: (fileId: string) => void
}

/** What the page does with a reading. */
interface Use {
  readonly read: (fields: Fields) => void
  readonly askServer: (fileId: string) => Promise<Fields>
  /** Whether the end user waits for the server. */
  readonly wait: (waiting: boolean) => void
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

/** @param canRead whether the browser can draw in a worker */
const documentReader = (
  { formats, ...means }: Means,
  canRead: boolean,
  use: Use
): Reading & { readonly close: () => void } => {
  let worker: Worker | undefined
  let closed = false
  /** Whether frames cannot be read. Only a photo is worth another try: frames come many times a second. */
  let lost = false
  let heard = votes()
  /** The worker answers one question at a time. */
  let last: Promise<unknown> = Promise.resolve()

  /** Undefined without a picture: the camera has shown none yet, or the file is none. */
  const ask = (make: () => Promise<ImageBitmap>): Promise<Answer | undefined> => {
    const asked = last.then(async () => {
      const needs = told(means.needs)
      worker ??= ownWorker(means.worker)
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

  /** The last photo: whether the browser has read anything. The server also reads photos that are turned. */
  let answered: Promise<boolean> = Promise.resolve(false)

  const watch = (video: HTMLVideoElement, outline: HTMLElement) => {
    if (!canRead) return () => {}
    const watched = votes()
    heard = watched
    lost = false
    let over = false
    const watching = async () => {
      while (!over && !watched.isDecided()) {
        const answer = await ask(() => createImageBitmap(video, ...partOf(video, outline)))
        if (answer?.failed === true) {
          lost = true
          return
        }
        if (answer !== undefined) watched.add(answer)
        // Without a document in front of it, a frame takes no time, and the next one need not follow at once.
        if (answer?.whole !== true) await sleep(kycTimes.readFrame)
      }
    }
    void watching()
    return () => {
      over = true
    }
  }

  const look = async (photo: Blob): Promise<boolean> => {
    use.wait(false)
    if (!canRead) return false
    const watched = heard
    heard = votes()
    if (!watched.isDecided()) {
      const answer = await ask(() => createImageBitmap(photo))
      if (answer !== undefined) watched.add(answer)
    }
    const fields = watched.finally()
    if (!closed) use.read(fields)
    return Object.keys(fields).length > 0
  }

  const sent = async (fileId: string): Promise<void> => {
    const photo = answered
    const isRead = await Promise.race([photo, ...(canRead ? [sleep(kycTimes.readingHere)] : [])])
    // Another photo may have been taken meanwhile, here and below.
    if (isRead || closed || photo !== answered) return
    use.wait(true)
    const fields = await use.askServer(fileId)
    if (closed || photo !== answered) return
    use.wait(false)
    use.read(fields)
  }

  return {
    watch,
    isDone: () => !canRead || lost || heard.isDecided(),
    look: (photo) => {
      answered = look(photo)
    },
    sent: (fileId) => void sent(fileId),
    close: () => {
      closed = true
      use.wait(false)
      worker?.terminate()
    }
  }
}

/**
 * Undefined where there is nothing to read.
 *
 * @param countries those that may have issued the document; empty if any
 */
export const useReading = (
  type: DocumentType | "",
  countries: ReadonlyArray<string>,
  use: Use
): Reading | undefined => {
  const present = useRef(use)
  present.current = use
  const fits =
    type !== "driving_licence" ||
    countries.length === 0 ||
    licencesWithBarcodes.some((one) => countries.includes(one))
  const reader = useMemo(() => {
    if (type === "" || !fits) return undefined
    // The server does not name a worker whose packages are not installed. It cannot read the photo either.
    if (told(meansOf[type].worker) === undefined) return undefined
    const canRead = typeof OffscreenCanvas !== "undefined" && typeof Worker !== "undefined"
    return documentReader(meansOf[type], canRead, {
      read: (fields) => present.current.read(fields),
      askServer: (fileId) => present.current.askServer(fileId),
      wait: (waiting) => present.current.wait(waiting)
    })
  }, [type, fits])
  useEffect(() => () => reader?.close(), [reader])
  return reader
}
