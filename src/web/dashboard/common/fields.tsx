import { type ControlProps, Field, useControl } from "./form.tsx"

interface TextFieldProps extends ControlProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly type?: "text" | "email" | "password" | "url" | "date"
  readonly autocomplete?: "off" | "username" | "current-password" | "new-password" | "organization"
  readonly placeholder?: string
  /** Makes it a multi-line field. */
  readonly rows?: number
  /** Code or an identifier: no capitalization, no spell-checking. */
  readonly code?: boolean
  /** A number, but as a text field: browsers lose invalid input of number fields. */
  readonly numeric?: boolean
  readonly readOnly?: boolean
}

export const TextField = ({
  autocomplete = "off",
  code = false,
  numeric = false,
  onChange,
  placeholder,
  readOnly = false,
  rows,
  type = "text",
  value,
  ...named
}: TextFieldProps) => {
  const control = useControl(named)
  const plain = code || type === "email" || type === "password" || type === "url"
  const shared = {
    ...control.props,
    value,
    readOnly,
    ...(code ? { class: "code" } : {}),
    ...(placeholder === undefined ? {} : { placeholder }),
    ...(numeric ? { inputMode: "numeric" as const } : {}),
    ...(plain ? { autocapitalize: "off" as const, spellcheck: false } : {}),
    onInput: (event: { readonly currentTarget: HTMLInputElement | HTMLTextAreaElement }) => {
      control.mend()
      onChange(event.currentTarget.value)
    }
  }
  return (
    <Field {...named} control={control}>
      {rows === undefined ? (
        // Preact has one type per kind of input; all of these take the same attributes.
        <input {...shared} type={type as "text"} autocomplete={autocomplete} />
      ) : (
        <textarea {...shared} rows={rows} />
      )}
    </Field>
  )
}

interface Choice<Value extends string> {
  readonly value: Value
  readonly label: string
}

interface SelectFieldProps<Value extends string> extends ControlProps {
  readonly value: Value
  readonly choices: ReadonlyArray<Choice<Value>>
  readonly onChange: (value: Value) => void
}

export const SelectField = <Value extends string>({
  choices,
  onChange,
  value,
  ...named
}: SelectFieldProps<Value>) => {
  const control = useControl(named)
  return (
    <Field {...named} control={control}>
      <select
        {...control.props}
        value={value}
        onChange={(event) => {
          const chosen = choices.find((choice) => choice.value === event.currentTarget.value)
          control.mend()
          if (chosen !== undefined) onChange(chosen.value)
        }}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
    </Field>
  )
}

interface CheckFieldProps {
  readonly label: string
  readonly hint?: string
  readonly checked: boolean
  readonly disabled?: boolean
  readonly onChange: (checked: boolean) => void
}

export const CheckField = ({ checked, disabled = false, hint, label, onChange }: CheckFieldProps) => (
  <label class="check">
    <input
      type="checkbox"
      checked={checked}
      disabled={disabled}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
    <span>
      {label}
      {hint === undefined ? null : <span class="hint">{hint}</span>}
    </span>
  </label>
)
