import type { ComponentProps } from "preact"
import { Select } from "./fields.tsx"
import { setQuery, useLocation } from "./router.tsx"

interface DateFilterProps
  extends Pick<ComponentProps<"input">, "name" | "value" | "defaultValue" | "required" | "onChange"> {
  readonly label: string
}

export const DateFilter = ({ label, ...input }: DateFilterProps) => (
  <label class="field">
    <span>{label}</span>
    <input {...input} type="date" />
  </label>
)

interface SelectFilterProps {
  /** The name in the query. */
  readonly name: string
  readonly label: string
  /** The choice that does not filter. */
  readonly any: string
  /** Undefined while they are loading. */
  readonly choices: ReadonlyArray<readonly [value: string, label: string]> | undefined
}

/** A filter whose value is in the query of the page's URL. */
export const SelectFilter = ({ any, choices, label, name }: SelectFilterProps) => {
  const value = useLocation().query.get(name) ?? ""
  const known = choices ?? []
  const isKnown = value === "" || known.some(([one]) => one === value)
  const unknown = choices === undefined ? "Loading…" : value
  return (
    <label class="field">
      <span>{label}</span>
      <Select
        value={value}
        // A link may have an unknown value, which becomes the last choice.
        choices={[["", any], ...known, ...(isKnown ? [] : [[value, unknown] as const])]}
        onChange={(chosen) => setQuery({ [name]: chosen })}
      />
    </label>
  )
}
