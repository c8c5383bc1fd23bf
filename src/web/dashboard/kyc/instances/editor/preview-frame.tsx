import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import { type Draft, giveDraft, whenReady } from "../../../../kyc/preview/messages.ts"
import { after, dashboardTimes } from "../../../../timing.ts"
import { Button } from "../../../../ui/parts.tsx"

interface PreviewFrameProps {
  readonly draft: Omit<Draft, "step">
  /** The step that was opened last. */
  readonly step: string | undefined
}

/** Everything on the page but the element and what contains it. */
const besides = (element: Element): ReadonlyArray<HTMLElement> => {
  const { parentElement } = element
  if (parentElement === null || element === document.body) return []
  const siblings = [...parentElement.children].filter((one) => one instanceof HTMLElement)
  return [...siblings.filter((one) => one !== element), ...besides(parentElement)]
}

/** The hosted page with unsaved changes. */
export const PreviewFrame = ({ draft, step }: PreviewFrameProps) => {
  const panel = useRef<HTMLElement>(null)
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
    return after(dashboardTimes.preview, () => {
      stepBefore.current = step
      if (frame.current !== null) giveDraft(frame.current, latest.current)
    }).cancel
  }, [draft.config, draft.workflow, step])

  // Together with the change on the screen: whoever clicks a field right after closing must reach it.
  useLayoutEffect(() => {
    if (!shown || panel.current === null) return undefined
    const close = () => setShown(false)
    const press = (event: KeyboardEvent) => {
      if (event.key === "Escape") close()
    }
    // What the preview covers must not get the focus.
    const behind = besides(panel.current)
    for (const part of behind) part.inert = true
    // In a wider window, it covers nothing.
    const wide = matchMedia("(min-width: 80rem)")
    wide.addEventListener("change", close)
    addEventListener("keydown", press)
    return () => {
      for (const part of behind) part.inert = false
      wide.removeEventListener("change", close)
      removeEventListener("keydown", press)
    }
  }, [shown])

  return (
    <aside class="preview-panel" ref={panel} data-shown={shown} aria-label="Preview of the page">
      <Button onClick={() => setShown(!shown)}>{shown ? "Close the preview" : "Show the preview"}</Button>
      <iframe ref={frame} src="/dashboard/preview" title="Preview" allow="camera" />
    </aside>
  )
}
