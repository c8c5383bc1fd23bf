/** The hosted page with a draft, under a bar that leads to every step. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { App } from "../app.tsx"
import type { Embedder } from "../embedding/embedder.ts"
import { inLanguage } from "../instances/config.ts"
import { readWorkflow, type Step } from "../instances/workflow.ts"
import type { Opened } from "../sessions/token.ts"
import { begun, previewApi, previewId, type Saved, skippedTo } from "./api.ts"
import { type Draft, takeDrafts } from "./messages.ts"

const opened: Opened = { sessionId: previewId, token: previewId, done: false }

const nameOf = ({ id, title, type }: Step): string => {
  const name = inLanguage(title, ["en"]) ?? id
  return name === type ? name : `${name} (${type})`
}

export const Preview = () => {
  const [draft, setDraft] = useState<Draft>()
  const [round, setRound] = useState(0)
  const [current, setCurrent] = useState("")
  const saved = useRef<Saved>(undefined)

  /** Starts from the saved state, as a reload would. */
  const show = (shown: Draft, step: string | undefined) => {
    saved.current ??= begun(shown)
    if (step !== undefined) saved.current.progress = skippedTo(step, shown, saved.current)
    setDraft(shown)
    setRound((before) => before + 1)
  }

  useEffect(() => takeDrafts((given) => show(given, given.step)), [])

  const embedder: Embedder = useMemo(
    () => ({
      // So that it neither redirects nor takes the focus from the editor.
      framed: true,
      // The history is the editor's.
      keepsHistory: false,
      tell: (event) => {
        if (event.type === "step") setCurrent(event.step.id)
      }
    }),
    []
  )

  const { current: kept } = saved
  if (draft === undefined || kept === undefined) return null
  const { steps } = readWorkflow(draft.workflow)
  return (
    <>
      <aside class="preview-bar" lang="en" dir="ltr" aria-label="Preview">
        <p>
          <strong>Preview.</strong> Nothing is sent or saved. The security check and the way to another device
          are left out.
        </p>
        <div class="preview-tools">
          <label>
            <span class="visually-hidden">Step</span>
            <select value={current} onChange={({ currentTarget }) => show(draft, currentTarget.value)}>
              {steps.map((step) => (
                <option key={step.id} value={step.id}>
                  {nameOf(step)}
                </option>
              ))}
            </select>
          </label>
          <button
            type="button"
            class="button"
            onClick={() => {
              saved.current = undefined
              show(draft, undefined)
            }}
          >
            Start again
          </button>
        </div>
      </aside>
      <App key={round} opened={opened} embedder={embedder} connect={() => previewApi(draft, kept)} />
    </>
  )
}
