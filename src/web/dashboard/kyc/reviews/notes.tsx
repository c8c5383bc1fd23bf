import { useState } from "preact/hooks"
import { useMayReview } from "../../common/account.ts"
import { call } from "../../common/call.ts"
import { TextField } from "../../common/fields.tsx"
import { Form, Submit } from "../../common/form.tsx"
import { Time } from "../../common/time.tsx"
import { useUnsaved } from "../../common/unsaved.tsx"
import { type Note, person } from "./review-state.tsx"

export const NoteList = ({ notes }: { readonly notes: ReadonlyArray<Note> }) => (
  <ul class="notes">
    {notes.map((note) => (
      <li key={note.id}>
        <p>{note.text}</p>
        <p class="under">
          {person(note.written_by_email, note.written_by)}, <Time at={note.created_at} precise />
        </p>
      </li>
    ))}
  </ul>
)

interface NewNoteProps {
  readonly sessionId: string
  readonly onAdded: (note: Note) => void
}

/** A form that adds a note. */
export const NewNote = ({ onAdded, sessionId }: NewNoteProps) => {
  const [text, setText] = useState("")
  const question = useUnsaved(text !== "")
  const add = async () => {
    const { note } = await call("kyc-reviews.addNote", { path: { id: sessionId }, body: { text } })
    setText("")
    onAdded(note)
  }
  return (
    <>
      <Form label="Add a note" class="note-form" onSubmit={add}>
        <TextField name="text" label="New note" rows={2} value={text} onChange={setText} />
        <Submit>Add note</Submit>
      </Form>
      {question}
    </>
  )
}

interface NotesProps extends NewNoteProps {
  readonly notes: ReadonlyArray<Note>
}

/** The notes of the company about a session, and a form to add one. */
export const Notes = ({ notes, ...added }: NotesProps) => {
  const mayReview = useMayReview()
  return (
    <>
      {notes.length === 0 ? <p class="faint">None.</p> : <NoteList notes={notes} />}
      {mayReview ? <NewNote {...added} /> : null}
    </>
  )
}
