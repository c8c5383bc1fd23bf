/** Controls that each edit one value of a document. Clearing one removes the value, so that the default applies. */
import { useEffect, useState } from "preact/hooks"
import { isObject, texts } from "../../../../json.ts"
import { TextField } from "../../../common/fields.tsx"
import { useEditing, useSpot } from "../../../common/json/editing.ts"

export interface ControlProps {
  /** The place of the value in the edited part of the document, such as `theme.primary`. */
  readonly at: string
  readonly label: string
  readonly hint?: string
}

/** As text; values of an unexpected type as JSON. */
export const shown = (value: unknown): string =>
  value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value)

interface TextControlProps extends ControlProps {
  readonly code?: boolean
  readonly placeholder?: string
  readonly type?: "text" | "url"
  /** The value for a text that is not empty. */
  readonly read?: (text: string) => unknown
}

export const TextControl = ({ at, read = (text) => text, ...field }: TextControlProps) => {
  const { name, set, value } = useSpot(at)
  return (
    <TextField
      {...field}
      name={name}
      value={shown(value)}
      onChange={(text) => set(text === "" ? undefined : read(text))}
    />
  )
}

const asNumber = (text: string) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text)

/** Leaves input that is no number as it is, for the API to refuse. */
export const NumberControl = (props: ControlProps & { readonly placeholder?: string }) => (
  <TextControl {...props} read={asNumber} />
)

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

/** A text in the language being edited. */
export const LocalTextControl = ({ at, hint, label, placeholder = "", ...field }: LocalTextControlProps) => {
  const { language } = useEditing()
  const { name, value } = useSpot(at)
  const { set, value: text } = useSpot(`${at}.${language}`)
  const others = isObject(value) ? Object.keys(value).filter((tag) => tag !== language) : []
  const also = others.length === 0 ? undefined : `Also in ${others.map(languageName).join(", ")}.`
  const said = [hint, also].filter(Boolean).join(" ")
  return (
    <TextField
      {...field}
      {...(said === "" ? {} : { hint: said })}
      label={language === "en" ? label : `${label} (${languageName(language)})`}
      placeholder={isObject(value) && typeof value.en === "string" ? value.en : placeholder}
      name={name}
      value={shown(text)}
      onChange={(written) => set(written === "" ? undefined : written)}
    />
  )
}

interface ListControlProps extends ControlProps {
  /** Each entry on its own line. */
  readonly lines?: boolean
  readonly placeholder: string
}

export const ListControl = ({ at, lines = false, ...field }: ListControlProps) => {
  const { name, set, value } = useSpot(at)
  const entries = texts(value)
  const read = (text: string) => text.split(/[\s,]+/).filter(Boolean)
  const [text, setText] = useState(() => entries.join(lines ? "\n" : ", "))
  // The value changed elsewhere, as by "Discard".
  useEffect(() => {
    if (read(text).join(" ") !== entries.join(" ")) setText(entries.join(lines ? "\n" : ", "))
  }, [entries.join(" ")])
  return (
    <TextField
      {...field}
      {...(lines ? { rows: 3 } : {})}
      name={name}
      code
      value={text}
      // `config.redirect.allowedHosts[1] must be ...`
      inWords={(message) =>
        message.replace(name, "").replace(/^\[(\d+)\]/, (_, index) => `Entry ${Number(index) + 1}`)
      }
      onChange={(written) => {
        setText(written)
        const next = read(written)
        set(next.length === 0 ? undefined : next)
      }}
    />
  )
}
