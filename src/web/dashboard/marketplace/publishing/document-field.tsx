/** An OpenAPI document, pasted or from a file. */
import { useId, useState } from "preact/hooks"
import { useControl } from "../../common/form.tsx"
import { TextEditor } from "../../common/json/text-editor.tsx"

interface DocumentFieldProps {
  readonly name: string
  readonly value: string
  readonly onChange: (text: string) => void
}

export const DocumentField = ({ name, onChange, value }: DocumentFieldProps) => {
  const named = {
    name,
    label: "OpenAPI document",
    hint: "OpenAPI 3.0 or 3.1, as JSON. The published copy has the gateway’s addresses, never your upstream’s.",
    optional: true
  }
  const { clearError } = useControl(named)
  const fileId = useId()
  const [problem, setProblem] = useState<string>()
  const read = async (file: File | undefined) => {
    setProblem(undefined)
    if (file === undefined) return
    try {
      onChange(await file.text())
      clearError()
    } catch {
      setProblem("The file could not be read.")
    }
  }
  return (
    <>
      <TextEditor {...named} value={value} onChange={onChange} />
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
