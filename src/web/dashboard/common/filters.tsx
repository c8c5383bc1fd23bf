/** Filters of a list, which are in the page's query. */
import { setQuery, useLocation } from "./router.tsx"

interface SelectFilterProps {
  /** The name in the query. */
  readonly name: string
  readonly label: string
  /** The choice that does not filter. */
  readonly any: string
  readonly choices: ReadonlyArray<readonly [value: string, label: string]>
}

export const SelectFilter = ({ any, choices, label, name }: SelectFilterProps) => {
  const value = useLocation().query.get(name) ?? ""
  const isKnown = value === "" || choices.some(([known]) => known === value)
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={(event) => setQuery({ [name]: event.currentTarget.value })}>
        <option value="">{any}</option>
        {choices.map(([known, word]) => (
          <option key={known} value={known}>
            {word}
          </option>
        ))}
        {/* A value from a link. */}
        {isKnown ? null : <option value={value}>{value}</option>}
      </select>
    </label>
  )
}
