import type { ComponentChildren, ComponentProps } from "preact"

interface FilePickerProps
  extends Pick<ComponentProps<"input">, "id" | "accept" | "capture" | "aria-describedby"> {
  readonly onFile: (file: File) => void
  readonly children: ComponentChildren
}

/** A file input that looks and works like a button, for keyboards and screen readers as well. */
export const FilePicker = ({ children, onFile, ...attributes }: FilePickerProps) => (
  <label class="button picker">
    <input
      {...attributes}
      type="file"
      class="visually-hidden"
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
