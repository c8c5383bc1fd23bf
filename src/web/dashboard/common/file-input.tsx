import type { ComponentProps } from "preact"

interface FileInputProps
  extends Pick<ComponentProps<"input">, "id" | "name" | "accept" | "aria-invalid" | "aria-describedby"> {
  readonly onFile: (file: File) => void
}

/** Also tells of a file that was chosen before: it may have changed since, or have been removed from the form. */
export const FileInput = ({ onFile, ...attributes }: FileInputProps) => (
  <input
    {...attributes}
    type="file"
    onClick={({ currentTarget }) => {
      currentTarget.value = ""
    }}
    onChange={({ currentTarget }) => {
      const file = currentTarget.files?.[0]
      if (file !== undefined) onFile(file)
    }}
  />
)
