import { Button } from "../../ui/parts.tsx"
import { chosen, doorlock } from "../common/call.ts"
import { deviceOf } from "../common/devices.ts"
import { DateFilter, SelectFilter } from "../common/filters.tsx"
import { Empty, Facts, Page } from "../common/parts.tsx"
import { Loaded, usePages, useResource } from "../common/resource.tsx"
import { setQuery, useLocation } from "../common/router.tsx"
import { Time } from "../common/time.tsx"
import { labelOf } from "../common/words.ts"
import { actions, type Event, kinds } from "./event-names.ts"

const readable = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

const origin = ({ address, user_agent }: Event): string =>
  address === null ? "The service itself" : `${address}, ${deviceOf(user_agent)}`

const Happened = ({ event }: { readonly event: Event }) => (
  <li class="event">
    <div class="event-head">
      <p>
        <strong>{actions[event.action]}</strong>
        {event.resource.name === null ? null : <bdi>{event.resource.name}</bdi>}
      </p>
      <Time at={event.at} precise />
    </div>
    <p class="faint">
      <bdi>{event.actor.name}</bdi>
      {event.actor.kind === "user" ? "" : ` (${event.actor.kind === "api_key" ? "API key" : "operator"})`}
      {" · "}
      {origin(event)}
    </p>
    <details>
      <summary>Details</summary>
      <Facts
        of={[
          ...Object.entries(event.details).map(([name, value]) => [labelOf(name), readable(value)] as const),
          ["Resource", <code key="id">{event.resource.id}</code>],
          ["Client", event.user_agent ?? "None"],
          ["Position in the chain", String(event.position)],
          ["Hash", <code key="hash">{event.hash}</code>]
        ]}
      />
    </details>
  </li>
)

/**
 * When a day begins in the user's time zone, or the day `daysLater`. Leaves an invalid day, from a link or while a
 * year is being typed, to the API to refuse.
 */
const startOf = (day: string, daysLater = 0): string => {
  const start = new Date(`${day}T00:00:00`)
  start.setDate(start.getDate() + daysLater)
  return Number.isNaN(start.getTime()) ? day : start.toISOString()
}

const Filters = () => {
  const { query } = useLocation()
  const members = useResource((signal) => doorlock.members.list({ signal }), [])
  const resource = query.get("resource")
  return (
    <search class="filters" aria-label="Events">
      <SelectFilter name="action" label="What" any="Everything" choices={Object.entries(kinds)} />
      <SelectFilter
        name="actor"
        label="Who"
        any="Everybody"
        choices={(members.value?.members ?? []).map(({ email, id }) => [id, email])}
      />
      {Object.entries({ from: "From", to: "To" }).map(([name, label]) => (
        <DateFilter
          key={name}
          label={label}
          value={query.get(name) ?? ""}
          onChange={(event) => setQuery({ [name]: event.currentTarget.value })}
        />
      ))}
      {/* From a link. It has no control, but shows that this is not the whole trail. */}
      {resource === null ? null : (
        <p>
          Only events of <code>{resource}</code>.{" "}
          <Button onClick={() => setQuery({ resource: undefined })}>Show all</Button>
        </p>
      )}
    </search>
  )
}

export const AuditPage = () => {
  const { query } = useLocation()
  const { action, actor, from, resource, to }: Partial<Record<string, string>> = Object.fromEntries(query)
  const events = usePages<Event>(
    async (cursor, signal) => {
      const page = await doorlock.auditEvents.list(
        chosen({
          action,
          actor,
          resource,
          from: from && startOf(from),
          // Includes the last day.
          to: to && startOf(to, 1),
          cursor,
          limit: 50
        }),
        { signal }
      )
      return { items: page.events, next: page.next_cursor }
    },
    [query.toString()]
  )
  return (
    <Page
      title="Audit trail"
      intro="Who did what, when, and from where. Nothing here can be changed or removed: every event carries the hash of the one before it."
    >
      <Filters />
      <Loaded of={events}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon="audit" title="No event matches">
              Change the filters, or choose a longer period.
            </Empty>
          ) : (
            <ol class="events" aria-label="Events, newest first">
              {items.map((event) => (
                <Happened key={event.id} event={event} />
              ))}
            </ol>
          )
        }
      </Loaded>
      {events.more}
    </Page>
  )
}
