import { useEffect, useState } from "preact/hooks"
import { Button } from "../../../ui/parts.tsx"
import { useIsReviewer, useMayWrite } from "../../common/account.ts"
import { chosen, doorlock } from "../../common/call.ts"
import type { Answer } from "../../common/contract.ts"
import {
  DateFilter,
  FoldedFilters,
  SelectFilter,
  UnknownFilters,
  unknownFilters
} from "../../common/filters.tsx"
import { links } from "../../common/links.ts"
import { Empty, Page } from "../../common/parts.tsx"
import { Loaded, usePages, useResource } from "../../common/resource.tsx"
import { Link, setQuery, useLocation } from "../../common/router.tsx"
import { Table } from "../../common/table.tsx"
import { Time } from "../../common/time.tsx"
import { decisions, undecided } from "../reviews/review-state.tsx"
import { BulkBar, Select, useSelection } from "./bulk.tsx"
import { Flags, isState, SessionState, type State, sessionPath, states } from "./session-state.tsx"

export type Session = Answer<"sessions.list">["sessions"][number]

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

const noFilter = Object.fromEntries([...filterNames, "order"].map((name) => [name, undefined]))

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
const useFilter = () => {
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

const Filters = ({ instances }: FiltersProps) => {
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

const SessionList = () => {
  const isReviewer = useIsReviewer()
  const instances = useResource((signal) => doorlock.reviews.choices({ signal }), []).value?.instances
  const { filter, isFiltered, unknown } = useFilter()
  const pages = usePages(
    async (cursor, signal) => {
      const page = await doorlock.sessions.list(chosen({ limit: 20, cursor, ...filter }), { signal })
      return { items: page.sessions, next: page.next_cursor }
    },
    [JSON.stringify(filter)]
  )
  const mayWrite = useMayWrite()
  const selection = useSelection()
  useEffect(selection.clear, [JSON.stringify(filter)])
  const names = new Map(instances?.map(({ id, name }) => [id, name]))
  return (
    <>
      <Filters instances={instances} />
      <UnknownFilters of={unknown} />
      <Loaded of={pages}>
        {({ items, next }) =>
          items.length > 0 ? (
            <>
              {mayWrite ? <BulkBar sessions={items} selection={selection} onChange={pages.reload} /> : null}
              <Table
                label="KYC sessions"
                rows={items}
                columns={[
                  {
                    label: "Session",
                    cell: (session) => (
                      <>
                        {mayWrite ? <Select session={session} selection={selection} /> : null}
                        <Link to={sessionPath(session.id)}>
                          {session.external_reference || "No reference"}
                        </Link>
                      </>
                    ),
                    under: ({ id }) => <code>{id}</code>
                  },
                  { label: "Status", cell: (session) => <SessionState session={session} /> },
                  { label: "Flags", cell: ({ flags }) => <Flags of={flags} /> },
                  { label: "Instance", cell: ({ instance_id }) => names.get(instance_id) ?? "" },
                  { label: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
                  {
                    label: "Finished",
                    cell: ({ completed_at }) => <Time at={completed_at} never="Not yet" />
                  }
                ]}
              />
            </>
          ) : isFiltered ? (
            <Empty
              title={next === null ? "No session matches" : "No session matches so far"}
              action={<Button onClick={() => setQuery(noFilter)}>Show all sessions</Button>}
            >
              {next === null
                ? "Change or remove a filter. A reference must start with exactly what you typed, including capitals and spaces."
                : "Only the first few thousand sessions have been searched. Load more, or narrow the filters."}
            </Empty>
          ) : (
            <Empty
              icon="sessions"
              title="No sessions yet"
              action={
                isReviewer ? undefined : (
                  <Link to="/dashboard/instances" class="button">
                    Go to the instances
                  </Link>
                )
              }
            >
              Your server creates sessions with an API key. To try it yourself, open an instance and create a
              test session.
            </Empty>
          )
        }
      </Loaded>
      {pages.more}
    </>
  )
}

export const SessionsPage = () => {
  const { filter } = useFilter()
  return (
    <Page
      title="Sessions"
      intro="All verifications of your end users, finished or not."
      actions={
        <a class="button" href={links.csv(filter)} download>
          Download as CSV
        </a>
      }
    >
      <SessionList />
    </Page>
  )
}
