import type { Ref } from "preact"
import { Button } from "../../ui/parts.tsx"
import { chosen, doorlock } from "../common/call.ts"
import { SelectFilter } from "../common/filters.tsx"
import { useLive } from "../common/live.ts"
import { Empty, formatCount, Section } from "../common/parts.tsx"
import { type Page as ListPage, Loaded, usePages } from "../common/resource.tsx"
import { Link, setQuery, useLocation } from "../common/router.tsx"
import { type Column, Table } from "../common/table.tsx"
import { Time } from "../common/time.tsx"
import { eventTypes } from "../events/event-types.ts"
import {
  type Delivery,
  DeliveryState,
  deliveryPath,
  deliveryStates,
  deliveryStatuses,
  type Endpoint
} from "./states.tsx"

const columnsOf = (endpoint: Endpoint): ReadonlyArray<Column<Delivery>> => [
  {
    label: "Event",
    cell: ({ event_type, id }) => <Link to={deliveryPath(id)}>{eventTypes[event_type]}</Link>,
    under: ({ event_type }) => <code class="type">{event_type}</code>
  },
  {
    label: "Status",
    cell: (delivery) => <DeliveryState {...delivery} />,
    under: ({ next_attempt_at }) =>
      // Nothing is sent to a disabled endpoint.
      next_attempt_at === null || endpoint.status === "disabled" ? null : (
        <>
          Next attempt <Time at={next_attempt_at} precise="seconds" />
        </>
      )
  },
  { label: "Sequence", numeric: true, cell: ({ sequence }) => formatCount(sequence) },
  { label: "Attempts", numeric: true, cell: ({ attempts }) => formatCount(attempts) },
  { label: "Time", cell: ({ created_at }) => <Time at={created_at} precise="seconds" /> }
]

interface ListProps {
  readonly endpoint: Endpoint
  readonly status: string
}

/** The list of one filter: another filter has its own, by its key. */
const List = ({ endpoint, status }: ListProps) => {
  const { id } = endpoint
  const load = async (cursor: string | undefined, signal: AbortSignal): Promise<ListPage<Delivery>> => {
    const page = await doorlock.webhooks.listDeliveries(id, chosen({ status, cursor, limit: 50 }), { signal })
    return { items: page.deliveries, next: page.next_cursor }
  }
  const pages = usePages<Delivery>(load, [id, status])
  useLive(pages.refresh)
  return (
    <>
      <Loaded of={pages}>
        {({ items }) =>
          items.length > 0 ? (
            <Table label="Deliveries, newest first" rows={items} columns={columnsOf(endpoint)} />
          ) : status === "" ? (
            <Empty title="No deliveries yet">
              They appear here when something happens, or when you send a test.
            </Empty>
          ) : (
            <Empty
              title="No delivery has this status"
              action={<Button onClick={() => setQuery({ status: undefined })}>Show all deliveries</Button>}
            >
              Matching deliveries will appear here.
            </Empty>
          )
        }
      </Loaded>
      {pages.more}
    </>
  )
}

interface DeliveriesProps {
  readonly endpoint: Endpoint
  readonly boxRef: Ref<HTMLElement>
}

/** What an endpoint was sent in the last 30 days. */
export const Deliveries = ({ boxRef, endpoint }: DeliveriesProps) => {
  const status = useLocation().query.get("status") ?? ""
  return (
    <Section title="Deliveries" boxRef={boxRef}>
      <div class="filters">
        <SelectFilter
          name="status"
          label="Status"
          any="Any"
          choices={deliveryStatuses.map((one) => [one, deliveryStates[one].word])}
        />
      </div>
      <List key={status} endpoint={endpoint} status={status} />
    </Section>
  )
}
