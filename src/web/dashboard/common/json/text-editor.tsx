/** A document as JSON text, with line numbers and the line of an error marked. */
import { useLayoutEffect, useRef } from "preact/hooks"
import { useControl } from "../form.tsx"
import { placeIn } from "./document.ts"
import type { DocumentName, Wrong } from "./editing.ts"
import { jsonError, lineOf } from "./json-text.ts"

interface TextEditorProps {
  readonly root: DocumentName
  readonly label: string
  readonly text: string
  /** The error found in the form, until the API reports another. */
  readonly wrong: Wrong | undefined
  readonly onChange: (text: string) => void
}

/** Scrolls to a line, counted from 1, and selects it. */
export const selectLine = (element: HTMLTextAreaElement, line: number): void => {
  const lines = element.value.split("\n")
  const start = lines.slice(0, line - 1).join("\n").length + (line === 1 ? 0 : 1)
  element.focus()
  element.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0))
  const lineHeight = Number.parseFloat(getComputedStyle(element).lineHeight)
  element.scrollTop = Math.max(0, (line - 4) * lineHeight)
}

export const TextEditor = ({ label, onChange, root, text, wrong }: TextEditorProps) => {
  const control = useControl({ name: root, label })
  const area = useRef<HTMLTextAreaElement>(null)
  const gutter = useRef<HTMLDivElement>(null)
  const broken = jsonError(text)
  const refused =
    control.error === undefined ? wrong : { path: placeIn(root, control.error) ?? [], message: control.error }
  const mark =
    refused === undefined || broken !== undefined
      ? undefined
      : { line: lineOf(text, refused.path), message: refused.message }
  const line = broken?.line ?? mark?.line

  useLayoutEffect(() => {
    if (mark !== undefined && area.current !== null) selectLine(area.current, mark.line)
  }, [mark?.line, mark?.message])

  const message =
    broken === undefined ? refused?.message : `Line ${broken.line} should have ${broken.message}.`
  const at = mark === undefined ? "" : ` (line ${mark.line})`
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
            control.clearError()
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
