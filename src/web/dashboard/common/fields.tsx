import type { ComponentProps } from "preact"
import { type ControlProps, Field, FieldGroup, useControl } from "./form.tsx"

interface TextFieldProps extends ControlProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly type?: "text" | "email" | "password" | "url" | "date"
  readonly autocomplete?: "off" | "username" | "current-password" | "new-password" | "organization"
  readonly placeholder?: string
  /** Words an API message about the field. */
  readonly inWords?: (message: string) => string
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
  inWords = (message) => message,
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
    placeholder,
    ...(numeric ? { inputMode: "numeric" as const } : {}),
    ...(plain ? { autocapitalize: "off" as const, spellcheck: false } : {}),
    onInput: (event: { readonly currentTarget: HTMLInputElement | HTMLTextAreaElement }) => {
      control.clearError()
      onChange(event.currentTarget.value)
    }
  }
  const error = control.error && inWords(control.error)
  return (
    <Field {...named} control={{ ...control, error }}>
      {rows === undefined ? (
        // Preact has one type per kind of input; all of these take the same attributes.
        <input {...shared} type={type as "text"} autocomplete={autocomplete} />
      ) : (
        <textarea {...shared} rows={rows} />
      )}
    </Field>
  )
}

interface Choices<Value extends string> {
  readonly value: Value
  readonly choices: ReadonlyArray<readonly [value: Value, label: string]>
  readonly onChange: (value: Value) => void
}

type SelectAttributes = Pick<
  ComponentProps<"select">,
  "id" | "name" | "aria-label" | "aria-invalid" | "aria-describedby"
>

/** Shows `value` until the caller changes it. */
export const Select = <Value extends string>({
  choices,
  onChange,
  value,
  ...attributes
}: Choices<Value> & SelectAttributes) => (
  <select
    {...attributes}
    value={value}
    onChange={({ currentTarget }) => {
      const chosen = choices.find(([known]) => known === currentTarget.value)
      currentTarget.value = value
      if (chosen !== undefined) onChange(chosen[0])
    }}
  >
    {choices.map(([known, label]) => (
      <option key={known} value={known}>
        {label}
      </option>
    ))}
  </select>
)

export const SelectField = <Value extends string>({
  choices,
  onChange,
  value,
  ...named
}: ControlProps & Choices<Value>) => {
  const control = useControl(named)
  return (
    <Field {...named} control={control}>
      <Select
        {...control.props}
        value={value}
        choices={choices}
        onChange={(chosen) => {
          control.clearError()
          onChange(chosen)
        }}
      />
    </Field>
  )
}

interface RadioFieldProps<Value extends string> extends Pick<ControlProps, "name" | "label"> {
  readonly value: Value
  readonly choices: ReadonlyArray<{ readonly value: Value; readonly label: string; readonly hint: string }>
  readonly onChange: (value: Value) => void
}

/** All choices are visible at once. */
export const RadioField = <Value extends string>({
  choices,
  label,
  name,
  onChange,
  value
}: RadioFieldProps<Value>) => {
  const control = useControl({ name, label })
  return (
    <FieldGroup label={label} control={control}>
      {choices.map((choice) => (
        <label key={choice.value} class="choice">
          <input
            type="radio"
            name={name}
            value={choice.value}
            checked={choice.value === value}
            aria-invalid={control.error !== undefined}
            onChange={() => {
              control.clearError()
              onChange(choice.value)
            }}
          />
          <span>
            {choice.label}
            <span class="under">{choice.hint}</span>
          </span>
        </label>
      ))}
    </FieldGroup>
  )
}

interface CheckFieldProps extends Pick<ComponentProps<"input">, "aria-invalid" | "aria-describedby"> {
  readonly label: string
  readonly hint?: string
  readonly checked: boolean
  readonly disabled?: boolean
  readonly onChange: (checked: boolean) => void
}

export const CheckField = ({ hint, label, onChange, ...attributes }: CheckFieldProps) => (
  <label class="check">
    <input {...attributes} type="checkbox" onChange={(event) => onChange(event.currentTarget.checked)} />
    <span>
      {label}
      {hint === undefined ? null : <span class="hint">{hint}</span>}
    </span>
  </label>
)
