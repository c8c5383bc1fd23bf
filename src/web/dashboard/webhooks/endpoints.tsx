import { Icon } from "../../brand/drawn.tsx"
import { doorlock } from "../common/call.ts"
import { useLive } from "../common/live.ts"
import { Badge, Empty, formatCount, Page } from "../common/parts.tsx"
import { Loaded, useResource } from "../common/resource.tsx"
import { Link } from "../common/router.tsx"
import { type Column, Table } from "../common/table.tsx"
import { WriteAccessLink } from "../common/write-access.tsx"
import { eventTypes } from "../events/event-types.ts"
import {
  countedOf,
  type Endpoint,
  EndpointReason,
  EndpointState,
  endpointPath,
  lastDay,
  nameOf
} from "./states.tsx"

const newEndpoint = (
  <WriteAccessLink to="/dashboard/webhooks/new" class="button primary">
    <Icon name="add" /> Add endpoint
  </WriteAccessLink>
)

/** How many types are named before the rest is counted. */
const mostNamed = 2

const typesOf = ({ event_types }: Endpoint): string => {
  if (event_types === null) return "All events"
  if (event_types.length === 0) return "Only tests"
  const named = event_types.slice(0, mostNamed).map((type) => eventTypes[type])
  const others = event_types.length - named.length
  return others === 0 ? named.join(", ") : `${named.join(", ")} and ${others} more`
}

const Health = ({ endpoint }: { readonly endpoint: Endpoint }) => {
  const found = lastDay(endpoint).filter(({ count }) => count > 0)
  return found.length === 0 ? (
    <span class="faint">None</span>
  ) : (
    <span class="badges">
      {found.map(({ count, tone, word }) => (
        <Badge key={word} tone={tone}>
          {formatCount(count)} {word.toLowerCase()}
        </Badge>
      ))}
    </span>
  )
}

const columns: ReadonlyArray<Column<Endpoint>> = [
  {
    label: "Endpoint",
    cell: (endpoint) => (
      <Link to={endpointPath(endpoint.id)}>
        <bdi>{nameOf(endpoint)}</bdi>
      </Link>
    ),
    under: ({ url }) => <code class="shortened">{url}</code>
  },
  {
    label: "Status",
    cell: (endpoint) => <EndpointState {...endpoint} />,
    under: (endpoint) => <EndpointReason {...endpoint} />
  },
  { label: "Events", cell: typesOf },
  { label: "Deliveries", cell: (endpoint) => <Health endpoint={endpoint} />, under: countedOf }
]

export const EndpointsPage = () => {
  const loaded = useResource((signal) => doorlock.webhooks.list({ signal }), [])
  useLive(loaded.refresh)
  return (
    <Page
      title="Webhooks"
      intro="doorlock sends your events to these addresses as they happen. Requests are signed, and repeated if they fail."
      actions={newEndpoint}
    >
      <Loaded of={loaded}>
        {({ endpoints }) => (
          <Table
            label="Webhook endpoints, oldest first"
            rows={endpoints}
            columns={columns}
            empty={
              <Empty icon="webhooks" title="No endpoints yet" action={newEndpoint}>
                An endpoint is an address of your server that receives your events. To receive them on your
                own computer,{" "}
                <a href="/docs/guides/webhooks#follow-the-feed-in-a-terminal">follow them in a terminal</a>.
              </Empty>
            }
          />
        )}
      </Loaded>
    </Page>
  )
}
