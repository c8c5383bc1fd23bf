import type { ComponentProps } from "preact"
import { useId } from "preact/hooks"
import { Alert } from "../../ui/parts.tsx"
import { Select } from "./fields.tsx"
import type { Children } from "./parts.tsx"
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

type Choices = ReadonlyArray<readonly [value: string, label: string]>

/** The filters of an address whose value the API would refuse: somebody typed it, or an old link has it. */
export const unknownFilters = (
  query: URLSearchParams,
  known: Readonly<Record<string, Choices>>
): ReadonlyArray<readonly [name: string, value: string]> =>
  Object.entries(known).flatMap(([name, choices]) => {
    const value = query.get(name)
    return !value || choices.some(([one]) => one === value) ? [] : [[name, value] as const]
  })

/** Says that filters of the address are not applied. */
export const UnknownFilters = ({ of }: { readonly of: ReturnType<typeof unknownFilters> }) =>
  of.length === 0 ? null : (
    <Alert tone="warning">
      {of.map(([name, value]) => (
        <p key={name}>
          There is no {name} “{value}”. The list is shown without this filter.
        </p>
      ))}
    </Alert>
  )

interface SelectFilterProps {
  /** The name in the query. */
  readonly name: string
  readonly label: string
  /** The choice that does not filter. */
  readonly any: string
  /** Undefined while they are loading. */
  readonly choices: Choices | undefined
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

interface FoldedFiltersProps extends Children {
  /** The names in the query of the filters that are counted. */
  readonly names: ReadonlyArray<string>
}

/**
 * Filters that a phone shows only when they are asked for, so that its first screen has room for the list. Wider screens always show
 * them. Whether they are open is in the query.
 */
export const FoldedFilters = ({ children, names }: FoldedFiltersProps) => {
  const { query } = useLocation()
  const id = useId()
  const isOpen = query.get("filters") === "open"
  const count = names.filter((name) => query.get(name)).length
  return (
    <>
      <button
        type="button"
        class="button fold"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setQuery({ filters: isOpen ? undefined : "open" })}
      >
        {count === 0 ? "Filters" : `Filters: ${count} set`}
      </button>
      <div id={id} class="folded" data-open={isOpen}>
        {children}
      </div>
    </>
  )
}
