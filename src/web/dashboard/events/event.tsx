import { doorlock } from "../common/call.ts"
import { Snippet } from "../common/copy.tsx"
import { pretty } from "../common/json/json-text.ts"
import type { PageProps } from "../common/page.ts"
import { Facts, Page, Section } from "../common/parts.tsx"
import { Loaded, useResource } from "../common/resource.tsx"
import { Link } from "../common/router.tsx"
import { Time } from "../common/time.tsx"
import { type Event, eventTypes, placeOf } from "./event-types.ts"

const EventShown = ({ event }: { readonly event: Event }) => {
  const place = placeOf(event)
  return (
    <>
      <Section title="About">
        <Facts
          of={[
            ["Type", <code key="type">{event.type}</code>],
            ["Time", <Time key="time" at={event.timestamp} precise="seconds" />],
            ["Id", <code key="id">{event.id}</code>],
            ...(place === undefined
              ? []
              : [
                  [
                    "Resource",
                    <Link key="resource" to={place.to}>
                      {place.label}
                    </Link>
                  ] as const
                ])
          ]}
        />
      </Section>
      <Section title="Body" intro="Your server receives exactly this, from the feed and by webhook.">
        <Snippet label="JSON" text={pretty(event).trimEnd()} />
      </Section>
    </>
  )
}

export const EventPage = ({ parameters: { id = "" } }: PageProps) => {
  const known = useResource((signal) => doorlock.events.get(id, { signal }), [id])
  const title = known.value === undefined ? "Event" : eventTypes[known.value.event.type]
  return (
    <Page title={title} parent={{ to: "/dashboard/events", label: "Events" }}>
      <Loaded of={known}>{({ event }) => <EventShown event={event} />}</Loaded>
    </Page>
  )
}
