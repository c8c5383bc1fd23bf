/** An OpenAPI document, pasted or from a file; errors are shown at their lines. */
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks"
import { Field, useControl } from "../../common/form.tsx"
import { placeIn } from "../../common/json/document.ts"
import { jsonError, lineOf } from "../../common/json/json-text.ts"
import { selectLine } from "../../common/json/text-editor.tsx"

/** The line that an error is about; undefined if it is about the whole document, or the document is a single line. */
const lineAbout = (name: string, text: string, refusal: string): number | undefined => {
  if (!text.trim().includes("\n")) return undefined
  const broken = jsonError(text)
  if (broken !== undefined) return broken.line
  const place = placeIn(name, refusal)
  return place === undefined || place.length === 0 ? undefined : lineOf(text, place)
}

interface DocumentFieldProps {
  readonly name: string
  readonly value: string
  readonly onChange: (text: string) => void
}

export const DocumentField = ({ name, onChange, value }: DocumentFieldProps) => {
  const named = {
    name,
    label: "OpenAPI document",
    hint: "OpenAPI 3.0 or 3.1, as JSON. The published copy has the gateway’s addresses, never your upstream’s."
  }
  const control = useControl(named)
  const fileId = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const [line, setLine] = useState<number>()
  const [problem, setProblem] = useState<string>()

  useLayoutEffect(() => {
    const wrong = control.error === undefined ? undefined : lineAbout(name, value, control.error)
    setLine(wrong)
    if (wrong !== undefined && area.current !== null) selectLine(area.current, wrong)
  }, [control.error])

  const read = async (file: File | undefined) => {
    setProblem(undefined)
    if (file === undefined) return
    try {
      onChange(await file.text())
      control.clearError()
    } catch {
      setProblem("The file could not be read.")
    }
  }
  return (
    <>
      <Field
        {...named}
        optional
        control={
          line === undefined || control.error === undefined
            ? control
            : { ...control, error: `Line ${line}: ${control.error}` }
        }
      >
        <textarea
          {...control.props}
          ref={area}
          class="code"
          rows={14}
          wrap="off"
          spellcheck={false}
          autocapitalize="off"
          value={value}
          onInput={(event) => {
            control.clearError()
            onChange(event.currentTarget.value)
          }}
        />
      </Field>
      <div class="field">
        <label for={fileId}>
          From a file <span class="optional">(optional)</span>
        </label>
        <input
          id={fileId}
          type="file"
          accept=".json,application/json"
          onChange={(event) => void read(event.currentTarget.files?.[0])}
        />
        {problem === undefined ? null : <p class="error">{problem}</p>}
      </div>
    </>
  )
}
