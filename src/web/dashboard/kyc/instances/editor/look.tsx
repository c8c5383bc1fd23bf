import { useState } from "preact/hooks"
import { Button, describedBy } from "../../../../ui/parts.tsx"
import { FileInput } from "../../../common/file-input.tsx"
import { Field, useControl } from "../../../common/form.tsx"
import { useSpot } from "../../../common/json/editing.ts"
import { type ControlProps, shown } from "./controls.tsx"

const colourPattern = /^#[0-9A-Fa-f]{6}$/

export const ColourControl = ({
  at,
  placeholder,
  ...named
}: ControlProps & { readonly placeholder: string }) => {
  const { name, set, value } = useSpot(at)
  const control = useControl({ ...named, name })
  const text = shown(value)
  const take = (next: string) => {
    control.clearError()
    set(next === "" ? undefined : next)
  }
  return (
    <Field {...named} name={name} control={control}>
      <span class="colour">
        <input
          type="color"
          aria-label={`Pick: ${named.label}`}
          value={colourPattern.test(text) ? text.toLowerCase() : placeholder}
          onInput={(event) => take(event.currentTarget.value)}
        />
        <input
          {...control.props}
          type="text"
          class="code"
          spellcheck={false}
          autocapitalize="off"
          placeholder={placeholder}
          value={text}
          onInput={(event) => take(event.currentTarget.value)}
        />
      </span>
    </Field>
  )
}

/** In characters, as in the schema of a config. */
const maxLogo = 100_000

/** A `data:` address; rejects if the file cannot be read. */
const asAddress = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })

/** An image embedded in the document. */
export const ImageControl = ({ at, ...named }: ControlProps) => {
  const { name, set, value } = useSpot(at)
  const control = useControl({ ...named, name })
  const [problem, setProblem] = useState<string>()
  const take = async (file: File) => {
    control.clearError()
    const address = await asAddress(file).catch(() => "")
    const usable = /^data:image\/(png|jpeg|webp|svg\+xml);base64,/.test(address)
    if (!usable) setProblem("This is not a PNG, JPEG, WebP or SVG image.")
    else if (address.length > maxLogo) setProblem("This image is too large: 73 kB at most.")
    else {
      setProblem(undefined)
      set(address)
    }
  }
  const error = problem ?? control.error
  return (
    <Field {...named} name={name} control={{ ...control, error }}>
      <span class="image-control">
        {typeof value === "string" ? <img src={value} alt="Current logo" /> : null}
        <FileInput
          {...control.props}
          aria-invalid={error !== undefined}
          aria-describedby={describedBy(control.id, named.hint, error)}
          accept="image/png,image/jpeg,image/webp,image/svg+xml"
          onFile={(file) => void take(file)}
        />
        {typeof value === "string" ? <Button onClick={() => set(undefined)}>Remove the logo</Button> : null}
      </span>
    </Field>
  )
}
