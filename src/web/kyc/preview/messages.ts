/** What the preview and the page of the dashboard that shows it in a frame tell each other. Both are of one origin. */
import { isObject, type Json, object, text } from "../../json.ts"

/** A config and a workflow to look at, saved or not. */
export interface Draft {
  readonly config: Json
  readonly workflow: Json
  /** The step to be shown, when that is to change. */
  readonly step?: string | undefined
}

const source = "doorlock preview"

/** The preview has begun to listen. */
const ready = { source, type: "ready" } as const

/**
 * Whether a message is of a window of this origin. Nothing else is listened to: whoever could choose what the preview shows
 * could show a verification page of their own at our address.
 */
const isFrom = (window: Window | null, { origin, source: sender }: MessageEvent<unknown>): boolean =>
  window !== null && sender === window && origin === location.origin

/** Takes the drafts that the surrounding page sends, and tells it that they are waited for. */
export const takeDrafts = (take: (draft: Draft) => void): void => {
  addEventListener("message", (event: MessageEvent<unknown>) => {
    if (!isFrom(window.parent, event) || !isObject(event.data) || event.data.source !== source) return
    const { config, step, workflow } = event.data
    take({ config: object(config), workflow: object(workflow), step: text(step) })
  })
  window.parent.postMessage(ready, location.origin)
}

/** Gives a draft to the preview in a frame. */
export const giveDraft = (frame: HTMLIFrameElement, draft: Draft): void =>
  frame.contentWindow?.postMessage({ source, ...draft }, location.origin)

/** Calls back whenever the preview in a frame has begun to listen; returns how to stop that. */
export const whenReady = (frame: HTMLIFrameElement, begin: () => void): (() => void) => {
  const hear = (event: MessageEvent<unknown>) => {
    if (!isFrom(frame.contentWindow, event) || !isObject(event.data)) return
    if (event.data.source === source && event.data.type === ready.type) begin()
  }
  addEventListener("message", hear)
  return () => removeEventListener("message", hear)
}
