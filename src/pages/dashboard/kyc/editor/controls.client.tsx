/** Controls for one place of a document each. An empty one leaves its place out, which stands for the default. */
import type { ComponentChildren } from "preact"
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import { isObject, texts } from "../../../kyc/json.client.ts"
import { Alert, Button } from "../../../ui/parts.client.tsx"
import { CheckField, Field, SelectField, TextField, useControl } from "../../form.client.tsx"
import type { Path } from "./document.client.ts"
import { useEditing, useSpot } from "./editing.client.ts"

interface ControlProps {
  readonly path: Path
  readonly label: string
  readonly hint?: string
}

/** As text, whatever it is: what is of another kind than expected is shown as it stands. */
const shown = (value: unknown): string =>
  value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value)

interface TextControlProps extends ControlProps {
  readonly code?: boolean
  readonly placeholder?: string
  readonly type?: "text" | "url"
}

export const TextControl = ({ path, ...field }: TextControlProps) => {
  const { name, set, value } = useSpot(path)
  return (
    <TextField
      {...field}
      name={name}
      value={shown(value)}
      onChange={(text) => set(text === "" ? undefined : text)}
    />
  )
}

/** A number; what is typed and is none stays as it was typed, for the API to refuse. */
export const NumberControl = ({ path, ...field }: ControlProps & { readonly placeholder?: string }) => {
  const { name, set, value } = useSpot(path)
  const read = (text: string) => {
    if (text === "") return undefined
    return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
  }
  return <TextField {...field} name={name} value={shown(value)} onChange={(text) => set(read(text))} />
}

interface LocalTextControlProps extends ControlProps {
  readonly rows?: number
  readonly placeholder?: string
}

const languageNames = new Intl.DisplayNames(["en"], { type: "language" })

export const languageName = (tag: string): string => {
  try {
    return languageNames.of(tag) ?? tag
  } catch {
    return tag
  }
}

/** A text in the language that is being edited. */
export const LocalTextControl = ({ hint, path, placeholder, ...field }: LocalTextControlProps) => {
  const { language } = useEditing()
  const { name, value } = useSpot(path)
  const { set, value: text } = useSpot([...path, language])
  const others = isObject(value) ? Object.keys(value).filter((tag) => tag !== language) : []
  const english = isObject(value) && typeof value.en === "string" ? value.en : undefined
  const also = others.length === 0 ? undefined : `Also in ${others.map(languageName).join(", ")}.`
  const said = [hint, also].filter(Boolean).join(" ")
  const standIn = english ?? placeholder
  return (
    <TextField
      {...field}
      {...(said === "" ? {} : { hint: said })}
      {...(standIn === undefined ? {} : { placeholder: standIn })}
      label={language === "en" ? field.label : `${field.label} (${languageName(language)})`}
      name={name}
      value={shown(text)}
      onChange={(written) => set(written === "" ? undefined : written)}
    />
  )
}

interface ChoiceControlProps extends ControlProps {
  readonly choices: ReadonlyArray<{ readonly value: string | boolean; readonly label: string }>
  /** What nothing chosen stands for, in words. */
  readonly otherwise: string
  /** The value that says the same as none. */
  readonly same?: string
}

export const ChoiceControl = ({ choices, otherwise, path, same, ...field }: ChoiceControlProps) => {
  const { name, set, value } = useSpot(path)
  const known = choices.map((choice) => ({ value: String(choice.value), label: choice.label }))
  const chosen = value === same ? "" : shown(value)
  const foreign = chosen === "" || known.some((choice) => choice.value === chosen) ? [] : [chosen]
  return (
    <SelectField
      {...field}
      name={name}
      value={chosen}
      choices={[
        { value: "", label: otherwise },
        ...known,
        ...foreign.map((other) => ({ value: other, label: other }))
      ]}
      onChange={(text) => set(choices.find((choice) => String(choice.value) === text)?.value)}
    />
  )
}

interface SwitchControlProps extends ControlProps {
  /** What nothing said stands for. */
  readonly otherwise?: boolean
}

export const SwitchControl = ({ otherwise = false, path, ...field }: SwitchControlProps) => {
  const { set, value } = useSpot(path)
  return (
    <CheckField
      {...field}
      checked={typeof value === "boolean" ? value : otherwise}
      onChange={(checked) => set(checked === otherwise ? undefined : checked)}
    />
  )
}

interface ChecksControlProps extends ControlProps {
  readonly choices: ReadonlyArray<{ readonly value: string; readonly label: string }>
  /** The ones that nothing said stands for. */
  readonly otherwise: ReadonlyArray<string>
}

/** Some of several. */
export const ChecksControl = ({ choices, hint, label, otherwise, path }: ChecksControlProps) => {
  const { name, set, value } = useSpot(path)
  const { error, id, mend } = useControl({ name, label, ...(hint === undefined ? {} : { hint }) })
  const chosen = Array.isArray(value) ? texts(value) : otherwise
  const toggle = (changed: string, checked: boolean) => {
    mend()
    const known = choices.map((choice) => choice.value)
    const next = [
      ...known.filter((other) => (other === changed ? checked : chosen.includes(other))),
      ...chosen.filter((other) => !known.includes(other))
    ]
    set(next.length === otherwise.length && otherwise.every((one) => next.includes(one)) ? undefined : next)
  }
  return (
    <fieldset class={error === undefined ? "choices" : "choices wrong"}>
      <legend>{label}</legend>
      {hint === undefined ? null : <p class="hint">{hint}</p>}
      {choices.map((choice) => (
        <label key={choice.value} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(choice.value)}
            aria-invalid={error !== undefined}
            aria-describedby={error === undefined ? undefined : `${id}-error`}
            onChange={(event) => toggle(choice.value, event.currentTarget.checked)}
          />
          <span>{choice.label}</span>
        </label>
      ))}
      {error === undefined ? null : (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </fieldset>
  )
}

interface ListControlProps extends ControlProps {
  /** Between two entries: each on its line, or all on one. */
  readonly lines?: boolean
  readonly placeholder?: string
}

/** A list of short texts. */
export const ListControl = ({ lines = false, path, placeholder, ...named }: ListControlProps) => {
  const { name, set, value } = useSpot(path)
  const control = useControl({ ...named, name })
  const entries = texts(value)
  const read = (text: string) => text.split(/[\s,]+/).filter(Boolean)
  const [text, setText] = useState(() => entries.join(lines ? "\n" : ", "))
  // Changed elsewhere, as text or by discarding.
  useEffect(() => {
    if (read(text).join(" ") !== entries.join(" ")) setText(entries.join(lines ? "\n" : ", "))
  }, [entries.join(" ")])
  const shared = {
    ...control.props,
    value: text,
    class: "code",
    spellcheck: false,
    autocapitalize: "off" as const,
    ...(placeholder === undefined ? {} : { placeholder }),
    onInput: (event: { readonly currentTarget: HTMLInputElement | HTMLTextAreaElement }) => {
      control.mend()
      setText(event.currentTarget.value)
      const next = read(event.currentTarget.value)
      set(next.length === 0 ? undefined : next)
    }
  }
  // `config.redirect.allowedHosts[1] must be ...`
  const error = control.error
    ?.replace(name, "")
    .replace(/^\[(\d+)\]/, (_, index) => `Entry ${Number(index) + 1}`)
  return (
    <Field {...named} name={name} control={{ ...control, error }}>
      {lines ? <textarea {...shared} rows={3} /> : <input type="text" {...shared} />}
    </Field>
  )
}

const colourPattern = /^#[0-9A-Fa-f]{6}$/

export const ColourControl = ({
  path,
  placeholder,
  ...named
}: ControlProps & { readonly placeholder: string }) => {
  const { name, set, value } = useSpot(path)
  const control = useControl({ ...named, name })
  const text = shown(value)
  const take = (next: string) => {
    control.mend()
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

/** Characters of a logo's address, at most (the schema of a config). */
const maxLogo = 100_000

const asAddress = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })

/** An image that is carried along in the document. */
export const ImageControl = ({ path, ...named }: ControlProps) => {
  const { name, set, value } = useSpot(path)
  const control = useControl({ ...named, name })
  const [problem, setProblem] = useState<string>()
  const take = async (file: File | undefined) => {
    if (file === undefined) return
    control.mend()
    const address = await asAddress(file).catch(() => "")
    const usable = /^data:image\/(png|jpeg|webp|svg\+xml);base64,/.test(address)
    if (!usable) setProblem("This is no PNG, JPEG, WebP or SVG image.")
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
        {typeof value === "string" ? <img src={value} alt="The logo as it is" /> : null}
        <input
          {...control.props}
          aria-invalid={error !== undefined}
          type="file"
          accept="image/png,image/jpeg,image/webp,image/svg+xml"
          onChange={(event) => void take(event.currentTarget.files?.[0])}
        />
        {typeof value === "string" ? <Button onClick={() => set(undefined)}>Remove the logo</Button> : null}
      </span>
    </Field>
  )
}

interface ProblemProps {
  readonly path: Path
  readonly label: string
}

const Objection = ({ message }: { readonly message: string }) => {
  const { showText } = useEditing()
  return (
    <Alert>
      <p>{message}</p>
      <Button onClick={showText}>Show it in the JSON</Button>
    </Alert>
  )
}

/** What the API has against a part of the document for which no control is there. */
export const Problem = ({ label, path }: ProblemProps) => {
  const { name } = useSpot(path)
  const { error } = useControl({ name, label })
  return error === undefined ? null : <Objection message={error} />
}

const unfoldWrong = (within: Element | null | undefined): void => {
  for (const element of within?.querySelectorAll('[aria-invalid="true"], [role="alert"]') ?? []) {
    let details = element.closest("details")
    while (details !== null) {
      details.open = true
      details = details.parentElement?.closest("details") ?? null
    }
  }
}

/** What the API has against the whole document; and whatever it has something against is unfolded. */
export const DocumentProblem = ({ label }: Pick<ProblemProps, "label">) => {
  const place = useRef<HTMLDivElement>(null)
  const { name } = useSpot([])
  const { error } = useControl({ name, label })
  // Whatever becomes wrong in the form, this is drawn again, and the rest of it right after: then it is looked at, before the
  // form takes the focus to what is wrong.
  useLayoutEffect(() => queueMicrotask(() => unfoldWrong(place.current?.parentElement)))
  return <div ref={place}>{error === undefined ? null : <Objection message={error} />}</div>
}

interface GroupProps {
  readonly title: string
  readonly open?: boolean
  readonly children: ComponentChildren
}

/** Controls that belong together, folded up until they are wanted. */
export const Group = ({ children, open = false, title }: GroupProps) => (
  <details class="group" open={open}>
    <summary>
      <h3>{title}</h3>
    </summary>
    <div class="group-body">{children}</div>
  </details>
)
