/** Controls for one of several values, or for some of them. */
import { texts } from "../../../../json.ts"
import { CheckField, SelectField } from "../../../common/fields.tsx"
import { useControl } from "../../../common/form.tsx"
import { useSpot } from "../../../common/json/editing.ts"
import { type ControlProps, shown } from "./controls.tsx"

interface ChoiceControlProps extends ControlProps {
  readonly choices: ReadonlyArray<{ readonly value: string | boolean; readonly label: string }>
  /** The default, in words. */
  readonly otherwise: string
  /** The value that means the same as the default. */
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
  /** The default. */
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
  /** The default values. */
  readonly otherwise: ReadonlyArray<string>
}

/** A set of checkboxes. */
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
