import { texts } from "../../../../json.ts"
import { CheckField, SelectField } from "../../../common/fields.tsx"
import { FieldGroup, useControl } from "../../../common/form.tsx"
import { useSpot } from "../../../common/json/editing.ts"
import { type ControlProps, shown } from "./controls.tsx"

/** Values and their labels. */
export type Labels = Readonly<Record<string, string>>

interface ChoiceControlProps extends ControlProps {
  /** The first is the default, for which the setting is left out. */
  readonly choices: Labels
}

const booleans: Readonly<Record<string, boolean>> = { true: true, false: false }

/** For a boolean setting whose default is neither. */
export const yesOrNo = (standard: string): Labels => ({ "": standard, true: "Yes", false: "No" })

export const ChoiceControl = ({ at, choices, ...field }: ChoiceControlProps) => {
  const { name, set, value } = useSpot(at)
  const [standard = ""] = Object.keys(choices)
  const chosen = shown(value) || standard
  const offered = Object.hasOwn(choices, chosen) ? choices : { ...choices, [chosen]: chosen }
  return (
    <SelectField
      {...field}
      name={name}
      value={chosen}
      choices={Object.entries(offered)}
      onChange={(text) => set(text === standard ? undefined : (booleans[text] ?? text))}
    />
  )
}

export const SwitchControl = ({
  at,
  standard = false,
  ...field
}: ControlProps & { readonly standard?: boolean }) => {
  const { set, value } = useSpot(at)
  return (
    <CheckField
      {...field}
      checked={typeof value === "boolean" ? value : standard}
      onChange={(checked) => set(checked === standard ? undefined : checked)}
    />
  )
}

interface ChecksControlProps extends Omit<ControlProps, "hint"> {
  readonly choices: Labels
  /** The default values; all of them if left out. */
  readonly standard?: ReadonlyArray<string>
}

export const ChecksControl = ({ at, choices, label, standard }: ChecksControlProps) => {
  const { name, set, value } = useSpot(at)
  const control = useControl({ name, label })
  const known = Object.keys(choices)
  const usual = standard ?? known
  const chosen = Array.isArray(value) ? texts(value) : usual
  const toggle = (changed: string, checked: boolean) => {
    control.clearError()
    const next = [
      ...known.filter((other) => (other === changed ? checked : chosen.includes(other))),
      ...chosen.filter((other) => !known.includes(other))
    ]
    set(next.length === usual.length && usual.every((one) => next.includes(one)) ? undefined : next)
  }
  return (
    <FieldGroup label={label} control={control}>
      {known.map((choice) => (
        <CheckField
          key={choice}
          label={choices[choice] ?? choice}
          checked={chosen.includes(choice)}
          aria-invalid={control.error !== undefined}
          aria-describedby={control.props["aria-describedby"]}
          onChange={(checked) => toggle(choice, checked)}
        />
      ))}
    </FieldGroup>
  )
}
