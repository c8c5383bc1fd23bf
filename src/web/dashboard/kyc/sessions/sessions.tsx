import { useEffect } from "preact/hooks"
import { Button } from "../../../ui/parts.tsx"
import { useIsReviewer, useMayWrite } from "../../common/account.ts"
import { type Answer, chosen, doorlock, links } from "../../common/call.ts"
import { UnknownFilters } from "../../common/filters.tsx"
import { Empty, Page } from "../../common/parts.tsx"
import { Loaded, usePages, useResource } from "../../common/resource.tsx"
import { Link, setQuery } from "../../common/router.tsx"
import { Table } from "../../common/table.tsx"
import { Time } from "../../common/time.tsx"
import { BulkBar, Select, useSelection } from "./bulk.tsx"
import { Filters, noFilter, useFilter } from "./session-filters.tsx"
import { Flags, SessionState, sessionPath } from "./session-state.tsx"

export type Session = Answer<"sessions.list">["sessions"][number]

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
