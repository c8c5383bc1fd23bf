import { useEffect, useState } from "preact/hooks"
import { Button } from "../../ui/parts.tsx"
import { chosen, doorlock } from "../common/call.ts"
import { SelectFilter } from "../common/filters.tsx"
import { useLive } from "../common/live.ts"
import { Empty, Page } from "../common/parts.tsx"
import { type Page as ListPage, Loaded, usePages } from "../common/resource.tsx"
import { Link, navigate, setQuery, useLocation } from "../common/router.tsx"
import { Table } from "../common/table.tsx"
import { Time } from "../common/time.tsx"
import { type Event, eventPath, eventTypes, resourceOf, typeGroups } from "./event-types.ts"

const Filters = () => {
  const given = useLocation().query.get("resource") ?? ""
  const [id, setId] = useState(given)
  useEffect(() => setId(given), [given])
  return (
    <form
      class="filters"
      aria-label="Events"
      onSubmit={(event) => {
        event.preventDefault()
        const wanted = id.trim()
        if (wanted.startsWith("evt_")) void navigate(eventPath(wanted))
        else setQuery({ resource: wanted })
      }}
    >
      <label class="field">
        <span>Id</span>
        <input
          type="search"
          value={id}
          placeholder="Of an event or a resource"
          onInput={(event) => {
            setId(event.currentTarget.value)
            if (event.currentTarget.value === "") setQuery({ resource: undefined })
          }}
        />
      </label>
      <Button submits>Search</Button>
      <SelectFilter
        name="type"
        label="Type"
        any="Any"
        choices={[...Object.entries(typeGroups), ...Object.entries(eventTypes)]}
      />
    </form>
  )
}

/** The newest events, page by page. New ones are added at the top. */
const useNewest = (query: { readonly type: string; readonly resource: string }) => {
  const load = async (after: string | undefined, signal: AbortSignal): Promise<ListPage<Event>> => {
    const page = await doorlock.events.list(chosen({ ...query, order: "newest", limit: 50, after }), {
      signal
    })
    return { items: page.events, next: page.has_more ? page.next_cursor : null }
  }
  const pages = usePages<Event>(load, [query.type, query.resource])
  useLive(pages.refresh)
  return pages
}

export const EventsPage = () => {
  const { query } = useLocation()
  const [type, resource] = [query.get("type") ?? "", query.get("resource") ?? ""]
  return (
    <Page
      title="Events"
      intro="What happened to your sessions, keys, subscriptions and APIs in the last 30 days. New events appear automatically. Your server can read the same feed with an API key."
    >
      <Filters />
      <EventList key={`${type} ${resource}`} type={type} resource={resource} />
    </Page>
  )
}

/** The list of one filter: another filter has its own, by its key. */
const EventList = ({ resource, type }: { readonly type: string; readonly resource: string }) => {
  const pages = useNewest({ type, resource })
  return (
    <>
      <Loaded of={pages}>
        {({ items }) =>
          items.length > 0 ? (
            <Table
              label="Events, newest first"
              rows={items}
              columns={[
                {
                  label: "Event",
                  cell: ({ id, type: name }) => <Link to={eventPath(id)}>{eventTypes[name]}</Link>,
                  under: ({ type: name }) => <code class="type">{name}</code>
                },
                { label: "Resource", cell: (event) => <code>{resourceOf(event)}</code> },
                { label: "Time", cell: ({ timestamp }) => <Time at={timestamp} precise="seconds" /> }
              ]}
            />
          ) : type === "" && resource === "" ? (
            <Empty icon="events" title="No events yet">
              Events appear here as they happen, for example when a session starts.
            </Empty>
          ) : (
            <Empty
              title="No event matches"
              action={
                <Button onClick={() => setQuery({ type: undefined, resource: undefined })}>
                  Show all events
                </Button>
              }
            >
              Matching events will appear here as they happen.
            </Empty>
          )
        }
      </Loaded>
      {pages.more}
    </>
  )
}
