/** The messages between the preview and the dashboard page that frames it, on the same origin. */
import { isObject, type Json, object, text } from "../../json.ts"

/** A config and a workflow to preview, saved or not. */
export interface Draft {
  readonly config: Json
  readonly workflow: Json
  /** The step to show; undefined: the current one. */
  readonly step?: string | undefined
}

const source = "doorlock preview"

const ready = { source, type: "ready" } as const

/** Without this check, other sites could show their own verification page at this address. */
const isFrom = (window: Window | null, { origin, source: sender }: MessageEvent<unknown>): boolean =>
  window !== null && sender === window && origin === location.origin

/** Receives drafts from the surrounding page, and tells it that the preview is ready. */
export const takeDrafts = (take: (draft: Draft) => void): void => {
  addEventListener("message", (event: MessageEvent<unknown>) => {
    if (!isFrom(window.parent, event) || !isObject(event.data) || event.data.source !== source) return
    const { config, step, workflow } = event.data
    take({ config: object(config), workflow: object(workflow), step: text(step) })
  })
  window.parent.postMessage(ready, location.origin)
}

export const giveDraft = (frame: HTMLIFrameElement, draft: Draft): void =>
  frame.contentWindow?.postMessage({ source, ...draft }, location.origin)

/** Calls back whenever the preview in the frame starts listening; returns how to unsubscribe. */
export const whenReady = (frame: HTMLIFrameElement, begin: () => void): (() => void) => {
  const hear = (event: MessageEvent<unknown>) => {
    if (!isFrom(frame.contentWindow, event) || !isObject(event.data)) return
    if (event.data.source === source && event.data.type === ready.type) begin()
  }
  addEventListener("message", hear)
  return () => removeEventListener("message", hear)
}
