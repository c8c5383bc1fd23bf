import { useEffect, useRef } from "preact/hooks"
import { doorlock } from "../common/call.ts"
import { Disclosure } from "../common/disclosure.tsx"
import { useLive } from "../common/live.ts"
import { Section } from "../common/parts.tsx"
import { Loaded, useResource } from "../common/resource.tsx"
import { Link } from "../common/router.tsx"
import { Time } from "../common/time.tsx"
import { type Event, eventPath, eventTypes } from "./event-types.ts"

const EventList = ({ events }: { readonly events: ReadonlyArray<Event> }) =>
  events.length === 0 ? (
    <p class="faint">None in the last 30 days.</p>
  ) : (
    <ol class="timeline" aria-label="Events, newest first">
      {events.map((event) => (
        <li key={event.id}>
          <p>
            <Link to={eventPath(event.id)}>{eventTypes[event.type]}</Link>
          </p>
          <Time at={event.timestamp} precise="seconds" />
        </li>
      ))}
    </ol>
  )

interface ResourceEventsProps {
  readonly id: string
  /** When the resource last changed, as the page shows it. */
  readonly changedAt: string
  /** Called for each new event while the page is shown, and if there was one before the events were first read. */
  readonly onNew: () => void
}

/** The newest events of one resource, on its page. They are followed while the page is shown, and listed on request. */
export const ResourceEvents = ({ changedAt, id, onNew }: ResourceEventsProps) => {
  const events = useResource(
    (signal) => doorlock.events.list({ resource: id, order: "newest", limit: 20 }, { signal }),
    [id]
  )
  useLive(events.refresh)
  const [newest] = events.value?.events ?? []
  const known = useRef<string>(undefined)
  useEffect(() => {
    if (events.value === undefined) return
    const latest = newest?.id ?? ""
    // The resource was read before its events were: it may have changed in between.
    const isNew =
      known.current === undefined ? (newest?.timestamp ?? "") > changedAt : latest !== known.current
    known.current = latest
    if (isNew) onNew()
  }, [events.value])
  return (
    <Section title="Events" intro="What your server receives from the feed and by webhook.">
      <Disclosure summary="Show the events">
        {() => <Loaded of={events}>{(found) => <EventList events={found.events} />}</Loaded>}
      </Disclosure>
    </Section>
  )
}
