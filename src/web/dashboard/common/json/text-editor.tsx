/** A document as text, with line numbers and the line of an error marked. */
import { useLayoutEffect, useMemo, useRef } from "preact/hooks"
import { describedBy } from "../../../ui/parts.tsx"
import { type ControlProps, Field, useControl } from "../form.tsx"
import { placeIn } from "./document.ts"
import type { Wrong } from "./editing.ts"
import { json, type Syntax } from "./syntax.ts"

interface TextEditorProps extends ControlProps {
  readonly value: string
  /** By default JSON; null while it is not known what is wrong with the text. */
  readonly syntax?: Syntax | null
  /** The error found in the form, until the API reports another. */
  readonly wrong?: Wrong | undefined
  readonly onChange: (text: string) => void
}

/** Scrolls to a line, counted from 1, and selects it. */
const selectLine = (element: HTMLTextAreaElement, line: number): void => {
  const lines = element.value.split("\n")
  const start = lines.slice(0, line - 1).join("\n").length + (line === 1 ? 0 : 1)
  element.focus()
  element.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0))
  const lineHeight = Number.parseFloat(getComputedStyle(element).lineHeight)
  element.scrollTop = Math.max(0, (line - 4) * lineHeight)
}

/** The numbers of the lines from one to another, each on its own line. */
const numbers = (first: number, last: number): string =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index).join("\n")

/** An empty editor leaves room on a phone for what is below it, and a long document scrolls within the editor. */
const shownLines = { least: 8, most: 24 } as const

export const TextEditor = ({ onChange, syntax = json, value, wrong, ...named }: TextEditorProps) => {
  const control = useControl(named)
  const area = useRef<HTMLTextAreaElement>(null)
  const gutter = useRef<HTMLDivElement>(null)
  const isMissing = named.optional === true && value.trim() === ""
  const reader = isMissing ? null : syntax
  // Not again with every key in another field.
  const broken = useMemo(() => reader?.problemIn(value), [value, reader])
  const refused =
    control.error === undefined
      ? wrong
      : { path: placeIn(named.name, control.error) ?? [], message: control.error }
  const refusedLine = useMemo(
    () => (refused === undefined || broken !== undefined ? undefined : reader?.lineOf(value, refused.path)),
    [value, reader, broken, refused?.message]
  )

  useLayoutEffect(() => {
    if (refusedLine !== undefined && area.current !== null) selectLine(area.current, refusedLine)
  }, [refusedLine, refused?.message])

  const place = refusedLine === undefined || refused?.path.length === 0 ? "" : ` (line ${refusedLine})`
  const error = broken !== undefined ? broken.sentence : refused && `${refused.message}${place}`
  const marked = broken?.line ?? refusedLine
  const lines = value.split("\n").length
  return (
    <Field {...named} control={{ ...control, error }}>
      <div class="text-editor">
        <div class="gutter" aria-hidden="true" ref={gutter}>
          {numbers(1, (marked ?? lines + 1) - 1)}
          {marked === undefined ? null : <span class="marked">{marked}</span>}
          {marked === undefined ? null : numbers(marked + 1, lines)}
        </div>
        <textarea
          {...control.props}
          ref={area}
          class="code"
          rows={Math.min(Math.max(lines + 1, shownLines.least), shownLines.most)}
          wrap="off"
          spellcheck={false}
          autocapitalize="off"
          aria-invalid={error !== undefined}
          aria-describedby={describedBy(control.id, named.hint, error)}
          value={value}
          onInput={(event) => {
            control.clearError()
            onChange(event.currentTarget.value)
          }}
          onScroll={(event) => {
            if (gutter.current !== null) gutter.current.scrollTop = event.currentTarget.scrollTop
          }}
        />
      </div>
    </Field>
  )
}
