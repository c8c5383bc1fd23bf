import type { ComponentChildren } from "preact"
import type { Facing } from "./camera.tsx"

interface FilePickerProps {
  readonly id: string
  readonly accept: string
  /** Opens a phone's own camera app, for which the page needs no permission. */
  readonly capture?: Facing
  readonly describedBy?: string | undefined
  readonly onFile: (file: File) => void
  readonly children: ComponentChildren
}

/** A file input that looks and works like a button, for keyboards and screen readers as well. */
export const FilePicker = ({ accept, capture, children, describedBy, id, onFile }: FilePickerProps) => (
  <label class="button picker" for={id}>
    <input
      id={id}
      type="file"
      class="visually-hidden"
      accept={accept}
      aria-describedby={describedBy}
      {...(capture === undefined ? undefined : { capture })}
      onChange={({ currentTarget }) => {
        const file = currentTarget.files?.item(0)
        // Otherwise, a refused file could not be chosen again.
        if (file) onFile(file)
        currentTarget.value = ""
      }}
    />
    {children}
  </label>
)
