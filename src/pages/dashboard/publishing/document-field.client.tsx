/** An OpenAPI document, pasted or from a file. */
import { useId, useState } from "preact/hooks"
import { TextField } from "../form.client.tsx"

interface DocumentFieldProps {
  readonly value: string
  readonly onChange: (text: string) => void
}

export const DocumentField = ({ onChange, value }: DocumentFieldProps) => {
  const id = useId()
  const [problem, setProblem] = useState<string>()
  const read = async (file: File | undefined) => {
    setProblem(undefined)
    if (file === undefined) return
    try {
      onChange(await file.text())
    } catch {
      setProblem("The file could not be read.")
    }
  }
  return (
    <>
      <TextField
        name="openapi"
        label="OpenAPI document"
        optional
        hint="OpenAPI 3.0 or 3.1, as JSON. It is published with the gateway’s addresses, and nothing of your upstream."
        rows={14}
        code
        value={value}
        onChange={onChange}
      />
      <div class="field">
        <label for={id}>
          From a file <span class="optional">(optional)</span>
        </label>
        <input
          id={id}
          type="file"
          accept=".json,application/json"
          onChange={(event) => void read(event.currentTarget.files?.[0])}
        />
        {problem === undefined ? null : <p class="error">{problem}</p>}
      </div>
    </>
  )
}
