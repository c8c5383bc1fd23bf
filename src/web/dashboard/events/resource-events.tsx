import { useEffect, useRef } from "preact/hooks"
import { doorlock } from "../common/call.ts"
import { useLive } from "../common/live.ts"
import { Loaded, useResource } from "../common/resource.tsx"
import { Link } from "../common/router.tsx"
import { Time } from "../common/time.tsx"
import { eventPath, eventTypes } from "./event-types.ts"

interface ResourceEventsProps {
  readonly id: string
  /** Called for each new event while the page is shown. */
  readonly onNew: () => void
}

/** The newest events of one resource, on its page. */
export const ResourceEvents = ({ id, onNew }: ResourceEventsProps) => {
  const events = useResource(
    (signal) => doorlock.events.list({ resource: id, order: "newest", limit: 20 }, { signal }),
    [id]
  )
  useLive(events.refresh)
  const newest = events.value && (events.value.events[0]?.id ?? "")
  const known = useRef<string>(undefined)
  useEffect(() => {
    if (known.current !== undefined && newest !== known.current) onNew()
    known.current = newest ?? known.current
  }, [newest])
  return (
    <Loaded of={events}>
      {({ events: found }) =>
        found.length === 0 ? (
          <p class="faint">None in the last 30 days.</p>
        ) : (
          <ol class="timeline" aria-label="Events, newest first">
            {found.map((event) => (
              <li key={event.id}>
                <p>
                  <Link to={eventPath(event.id)}>{eventTypes[event.type]}</Link>
                </p>
                <Time at={event.timestamp} precise="seconds" />
              </li>
            ))}
          </ol>
        )
      }
    </Loaded>
  )
}
