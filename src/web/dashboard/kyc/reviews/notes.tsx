import { useState } from "preact/hooks"
import { useMayReview } from "../../common/account.ts"
import { doorlock } from "../../common/call.ts"
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

interface AddedProps {
  readonly sessionId: string
  readonly onAdded: (note: Note) => void
}

interface NewNoteProps extends AddedProps {
  /** What is typed and not added. */
  readonly draft: string
  readonly onDraft: (change: (draft: string) => string) => void
  /** Whether the draft is kept when the user leaves the page. */
  readonly isKept?: boolean
}

/** A form that adds a note. */
export const NewNote = ({ draft, isKept = false, onAdded, onDraft, sessionId }: NewNoteProps) => {
  const question = useUnsaved(draft.trim() !== "" && !isKept)
  const add = async () => {
    // While it is sent, it is no draft. What is typed meanwhile is.
    onDraft(() => "")
    try {
      const { note } = await doorlock.reviews.addNote(sessionId, { text: draft }, { keepalive: true })
      onAdded(note)
    } catch (cause) {
      onDraft((typed) => (typed === "" ? draft : `${draft}\n\n${typed}`))
      throw cause
    }
  }
  return (
    <>
      <Form label="Add a note" class="note-form" onSubmit={add}>
        <TextField
          name="text"
          label="New note"
          rows={2}
          value={draft}
          onChange={(text) => onDraft(() => text)}
        />
        <Submit>Add note</Submit>
      </Form>
      {question}
    </>
  )
}

interface NotesProps extends AddedProps {
  readonly notes: ReadonlyArray<Note>
}

/** The notes of the company about a session, and a form to add one. */
export const Notes = ({ notes, ...added }: NotesProps) => {
  const mayReview = useMayReview()
  const [draft, setDraft] = useState("")
  return (
    <>
      {notes.length === 0 ? <p class="faint">None.</p> : <NoteList notes={notes} />}
      {mayReview ? <NewNote {...added} draft={draft} onDraft={setDraft} /> : null}
    </>
  )
}
