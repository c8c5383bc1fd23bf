/** The filters of the list of sessions, which are in the address. */
import { useEffect, useState } from "preact/hooks"
import { Button } from "../../../ui/parts.tsx"
import type { Answer } from "../../common/call.ts"
import { DateFilter, FoldedFilters, SelectFilter, unknownFilters } from "../../common/filters.tsx"
import { setQuery, useLocation } from "../../common/router.tsx"
import { decisions, undecided } from "../reviews/review-state.tsx"
import { isState, type State, states } from "./session-state.tsx"

/** The API query for each state on display. */
const queries: Readonly<Record<State, Readonly<Record<string, string>>>> = {
  created: { status: "created", expired: "false" },
  running: { status: "running", expired: "false" },
  completed: { status: "completed" },
  failed: { status: "failed" },
  cancelled: { status: "cancelled" },
  expired: { expired: "true" }
}

/** The filters in the address that a phone folds away. */
const foldedNames = ["status", "review", "instance", "flags", "from", "to"] as const

const filterNames = ["reference", ...foldedNames] as const

export const noFilter = Object.fromEntries([...filterNames, "order"].map((name) => [name, undefined]))

/** Midnight at the beginning of a day, or `days` later, in the user's time zone; undefined for no day. */
const midnight = (day: string | undefined, days = 0): string | undefined => {
  const at = new Date(`${day}T00:00`)
  at.setDate(at.getDate() + days)
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}

const choices = {
  status: Object.entries(states).map(([state, { word }]) => [state, word] as const),
  review: [
    ["pending", undecided.pending],
    ["proposed", undecided.proposed],
    ...Object.entries(decisions).map(([decision, { done }]) => [decision, done] as const)
  ],
  flags: [
    ["true", "With flags"],
    ["false", "Without flags"]
  ]
} as const

/** What `order` may be in an address; its words depend on the other filters. */
const orders = [
  ["oldest", ""],
  ["newest", ""]
] as const

/** The filters in the address, as the API takes them. */
export const useFilter = () => {
  const { query } = useLocation()
  const unknown = unknownFilters(query, { ...choices, order: orders })
  const without = new Set(unknown.map(([name]) => name))
  const {
    flags,
    from,
    instance,
    order,
    reference,
    review,
    status = "",
    to
  }: Partial<Record<string, string>> = Object.fromEntries([...query].filter(([name]) => !without.has(name)))
  return {
    isFiltered: filterNames.some((name) => query.get(name)),
    filter: {
      instanceId: instance,
      externalReferencePrefix: reference,
      review,
      flags,
      from: midnight(from),
      to: midnight(to, 1),
      order,
      ...(isState(status) ? queries[status] : {})
    },
    unknown
  }
}

const DayFilter = ({ label, name }: { readonly label: string; readonly name: "from" | "to" }) => (
  <DateFilter
    label={label}
    value={useLocation().query.get(name) ?? ""}
    onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value })}
  />
)

type Choices = Answer<"reviews.choices">

interface FiltersProps {
  /** Undefined while they are loading. */
  readonly instances: Choices["instances"] | undefined
}

export const Filters = ({ instances }: FiltersProps) => {
  const given = useLocation().query.get("reference") ?? ""
  const [reference, setReference] = useState(given)
  useEffect(() => setReference(given), [given])
  return (
    <form
      class="filters"
      aria-label="Sessions"
      onSubmit={(event) => {
        event.preventDefault()
        setQuery({ reference })
      }}
    >
      <label class="field">
        <span>External reference</span>
        <input
          type="search"
          value={reference}
          placeholder="Starts with"
          enterkeyhint="search"
          onInput={(event) => {
            setReference(event.currentTarget.value)
            if (event.currentTarget.value === "") setQuery({ reference: undefined })
          }}
        />
      </label>
      <FoldedFilters names={foldedNames}>
        <SelectFilter name="status" label="Status" any="Any" choices={choices.status} />
        <SelectFilter name="review" label="Review" any="Any" choices={choices.review} />
        <SelectFilter
          name="instance"
          label="Instance"
          any="Any"
          choices={instances?.map(({ id, name }) => [id, name])}
        />
        <SelectFilter name="flags" label="Flags" any="Any" choices={choices.flags} />
        <DayFilter name="from" label="Created from" />
        <DayFilter name="to" label="Created to" />
        <SelectFilter
          name="order"
          label="Order"
          any={given === "" ? "Newest first" : "Reference, Z to A"}
          choices={[["oldest", given === "" ? "Oldest first" : "Reference, A to Z"]]}
        />
        <Button submits>Search</Button>
      </FoldedFilters>
    </form>
  )
}
