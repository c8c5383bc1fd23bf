import type { ComponentChildren } from "preact"
import { useMemo, useState } from "preact/hooks"
import { isObject, type Json, parse } from "../../../../json.ts"
import { Button } from "../../../../ui/parts.tsx"
import { withAt } from "../../../common/json/document.ts"
import { type DocumentName, type Editing, EditingProvider, type Wrong } from "../../../common/json/editing.ts"
import { jsonError, pretty } from "../../../common/json/json-text.ts"
import { TextEditor } from "../../../common/json/text-editor.tsx"
import { Section } from "../../../common/parts.tsx"
import { DocumentProblem } from "./problems.tsx"

export interface Edited {
  /** The last valid JSON. */
  readonly value: Json
  /** The text being edited, valid or not; undefined in the form. */
  readonly text: string | undefined
}

/** Why the document cannot be submitted, as an API message; undefined if it can. */
export const unreadable = (root: DocumentName, { text }: Edited): string | undefined => {
  const error = text === undefined ? undefined : jsonError(text)
  return error && `${root} is not valid JSON: line ${error.line} should have ${error.message}`
}

interface DocumentEditorProps {
  readonly root: DocumentName
  readonly title: string
  readonly intro: string
  readonly language: string
  readonly edited: Edited
  readonly onChange: (next: (before: Edited) => Edited) => void
  readonly children: ComponentChildren
}

/** Edits a document as a form or as text. Switching between them loses nothing. */
export const DocumentEditor = ({
  children,
  edited,
  intro,
  language,
  onChange,
  root,
  title
}: DocumentEditorProps) => {
  const { text, value } = edited
  const broken = unreadable(root, edited)
  const [wrong, setWrong] = useState<Wrong>()
  const showText = (known?: Wrong) => {
    setWrong(known)
    onChange((before) => ({ ...before, text: before.text ?? pretty(before.value) }))
  }
  const editing: Editing = useMemo(
    () => ({
      root,
      document: value,
      part: [],
      language,
      showText,
      change: (path, next) => onChange((before) => ({ ...before, value: withAt(before.value, path, next) }))
    }),
    [value, language]
  )
  return (
    <Section
      title={title}
      intro={intro}
      actions={
        text === undefined ? (
          <Button onClick={() => showText()}>
            Edit as JSON <span class="visually-hidden">: {title}</span>
          </Button>
        ) : (
          <Button
            onClick={() => {
              // The form cannot show invalid JSON.
              if (broken !== undefined) document.getElementsByName(root)[0]?.focus()
              else onChange(({ value }) => ({ value, text: undefined }))
            }}
          >
            Back to the form <span class="visually-hidden">: {title}</span>
          </Button>
        )
      }
    >
      {text === undefined ? (
        <EditingProvider value={editing}>
          <DocumentProblem label={title} />
          {children}
        </EditingProvider>
      ) : (
        <TextEditor
          name={root}
          label={`${title}, as JSON`}
          value={text}
          wrong={wrong}
          onChange={(written) => {
            setWrong(undefined)
            onChange((before) => {
              const read = parse(written)
              return { text: written, value: isObject(read) ? read : before.value }
            })
          }}
        />
      )}
    </Section>
  )
}
