/** An OpenAPI document, pasted or from a file. */
import { useId, useState } from "preact/hooks"
import { describedBy } from "../../../ui/parts.tsx"
import { FileInput } from "../../common/file-input.tsx"
import { useControl } from "../../common/form.tsx"
import { TextEditor } from "../../common/json/text-editor.tsx"
import { useDocumentSyntax } from "./document-syntax.ts"

interface DocumentFieldProps {
  readonly name: string
  readonly value: string
  readonly onChange: (text: string) => void
}

export const DocumentField = ({ name, onChange, value }: DocumentFieldProps) => {
  const named = {
    name,
    label: "OpenAPI document",
    hint: "OpenAPI 3.0 or 3.1, as JSON or YAML. The published copy has the gateway’s addresses, never your upstream’s.",
    optional: true
  }
  const { clearError } = useControl(named)
  const syntax = useDocumentSyntax(value)
  const fileId = useId()
  const [problem, setProblem] = useState<string>()
  const read = async (file: File) => {
    setProblem(undefined)
    try {
      onChange(await file.text())
      clearError()
    } catch {
      setProblem("The file could not be read.")
    }
  }
  return (
    <>
      <TextEditor {...named} syntax={syntax} value={value} onChange={onChange} />
      <div class="field">
        <label for={fileId}>
          From a file <span class="optional">(optional)</span>
        </label>
        <FileInput
          id={fileId}
          accept=".json,.yaml,.yml,application/json,application/yaml"
          aria-describedby={describedBy(fileId, undefined, problem)}
          onFile={(file) => void read(file)}
        />
        {problem === undefined ? null : (
          <p class="error" id={`${fileId}-error`}>
            {problem}
          </p>
        )}
      </div>
    </>
  )
}
