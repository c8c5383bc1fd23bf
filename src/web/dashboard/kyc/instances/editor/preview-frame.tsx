import { useEffect, useRef, useState } from "preact/hooks"
import { type Draft, giveDraft, whenReady } from "../../../../kyc/preview/messages.ts"
import { Button } from "../../../../ui/parts.tsx"

/** The preview waits this long for further changes. */
const pauseMillis = 300

interface PreviewFrameProps {
  readonly draft: Omit<Draft, "step">
  /** The step that was opened last. */
  readonly step: string | undefined
}

/** The hosted page with unsaved changes. */
export const PreviewFrame = ({ draft, step }: PreviewFrameProps) => {
  const frame = useRef<HTMLIFrameElement>(null)
  const latest = useRef<Draft>({ ...draft, step })
  const [shown, setShown] = useState(false)
  const stepBefore = useRef(step)

  useEffect(() => {
    const element = frame.current
    return element === null ? undefined : whenReady(element, () => giveDraft(element, latest.current))
  }, [])

  useEffect(() => {
    // Jumps to a step once: if the user continues in the preview, the next change must not jump back.
    latest.current = { ...draft, step: step === stepBefore.current ? undefined : step }
    const timer = setTimeout(() => {
      stepBefore.current = step
      if (frame.current !== null) giveDraft(frame.current, latest.current)
    }, pauseMillis)
    return () => clearTimeout(timer)
  }, [draft.config, draft.workflow, step])

  useEffect(() => {
    if (!shown) return undefined
    const close = (event: KeyboardEvent) => {
      if (event.key === "Escape") setShown(false)
    }
    addEventListener("keydown", close)
    return () => removeEventListener("keydown", close)
  }, [shown])

  return (
    <aside class="preview-panel" data-shown={shown} aria-label="Preview of the page">
      <Button onClick={() => setShown(!shown)}>{shown ? "Close the preview" : "Show the preview"}</Button>
      <iframe ref={frame} src="/dashboard/preview" title="Preview" allow="camera" />
    </aside>
  )
}
