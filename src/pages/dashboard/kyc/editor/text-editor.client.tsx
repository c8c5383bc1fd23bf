/** A document as JSON text, with its lines numbered and the wrong one marked. */
import { useEffect, useRef } from "preact/hooks"
import { useControl } from "../../form.client.tsx"
import { placeIn } from "./document.client.ts"
import type { DocumentName } from "./editing.client.ts"
import { jsonError, lineOf } from "./json-text.client.ts"

interface TextEditorProps {
  readonly root: DocumentName
  readonly label: string
  readonly text: string
  readonly onChange: (text: string) => void
}

interface Mark {
  readonly line: number
  readonly message: string
}

/** Where a message of the API is to be read. */
const markOf = (root: DocumentName, message: string | undefined, text: string): Mark | undefined => {
  const place = message === undefined ? undefined : placeIn(root, message)
  if (message === undefined || place === undefined || jsonError(text) !== undefined) return undefined
  return { line: lineOf(text, place), message }
}

export const TextEditor = ({ label, onChange, root, text }: TextEditorProps) => {
  const control = useControl({ name: root, label })
  const area = useRef<HTMLTextAreaElement>(null)
  const gutter = useRef<HTMLDivElement>(null)
  const wrong = jsonError(text)
  const mark = markOf(root, control.error, text)
  const line = wrong?.line ?? mark?.line

  // The line the API has something against is brought into view and selected.
  useEffect(() => {
    const element = area.current
    if (mark === undefined || element === null) return
    const lines = text.split("\n")
    const start = lines.slice(0, mark.line - 1).join("\n").length + (mark.line === 1 ? 0 : 1)
    element.focus()
    element.setSelectionRange(start, start + (lines[mark.line - 1]?.length ?? 0))
    const lineHeight = Number.parseFloat(getComputedStyle(element).lineHeight)
    element.scrollTop = Math.max(0, (mark.line - 4) * lineHeight)
  }, [mark?.line, mark?.message])

  const message =
    wrong !== undefined ? `Line ${wrong.line} should have ${wrong.message}.` : (control.error ?? undefined)
  const at = mark === undefined || wrong !== undefined ? "" : ` (line ${mark.line})`
  return (
    <div class={message === undefined ? "field text-editor" : "field text-editor wrong"}>
      <label for={control.id}>{label}</label>
      <div class="text-editor-box">
        <div class="gutter" aria-hidden="true" ref={gutter}>
          {text.split("\n").map((_, index) => (
            <span key={index} class={index + 1 === line ? "marked" : ""}>
              {index + 1}
            </span>
          ))}
        </div>
        <textarea
          {...control.props}
          ref={area}
          class="code"
          rows={24}
          wrap="off"
          spellcheck={false}
          autocapitalize="off"
          aria-invalid={message !== undefined}
          aria-describedby={message === undefined ? undefined : `${control.id}-error`}
          value={text}
          onInput={(event) => {
            control.mend()
            onChange(event.currentTarget.value)
          }}
          onScroll={(event) => {
            if (gutter.current !== null) gutter.current.scrollTop = event.currentTarget.scrollTop
          }}
        />
      </div>
      {message === undefined ? null : (
        <p class="error" id={`${control.id}-error`}>
          {message}
          {at}
        </p>
      )}
    </div>
  )
}
