import { useEffect, useState } from "preact/hooks"
import { Button } from "../../../ui/parts.tsx"
import { call } from "../../common/call.ts"
import type { Answer } from "../../common/contract.ts"
import { SelectFilter } from "../../common/filters.tsx"
import { Empty, Page } from "../../common/parts.tsx"
import { Loaded, useCall, usePages } from "../../common/resource.tsx"
import { Link, setQuery, useLocation } from "../../common/router.tsx"
import { Table } from "../../common/table.tsx"
import { Time } from "../../common/time.tsx"
import type { Instance } from "../instances/instances.tsx"
import { isState, SessionState, type State, sessionPath, states } from "./session-state.tsx"

export type Session = Answer<"kyc-partner-sessions.list">["sessions"][number]

/** The API query for each state on display. */
const queries: Readonly<Record<State, Readonly<Record<string, string>>>> = {
  created: { status: "created", expired: "false" },
  running: { status: "running", expired: "false" },
  completed: { status: "completed" },
  failed: { status: "failed" },
  cancelled: { status: "cancelled" },
  expired: { expired: "true" }
}

const Filters = ({ instances }: { readonly instances: ReadonlyArray<Instance> }) => {
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
          placeholder="The exact reference"
          onInput={(event) => {
            setReference(event.currentTarget.value)
            if (event.currentTarget.value === "") setQuery({ reference: undefined })
          }}
        />
      </label>
      <SelectFilter
        name="status"
        label="Status"
        any="Any"
        choices={Object.entries(states).map(([state, { word }]) => [state, word])}
      />
      <SelectFilter
        name="instance"
        label="Instance"
        any="Any"
        choices={instances.map(({ id, name }) => [id, name])}
      />
      <Button submits>Search</Button>
    </form>
  )
}

const SessionList = ({ instances }: { readonly instances: ReadonlyArray<Instance> }) => {
  const { query } = useLocation()
  const { instance, reference, status = "" }: Partial<Record<string, string>> = Object.fromEntries(query)
  const pages = usePages(
    async (cursor, signal) => {
      const page = await call("kyc-partner-sessions.list", {
        query: {
          limit: 20,
          cursor,
          instanceId: instance,
          externalReference: reference,
          // The API refuses an invalid state.
          ...(isState(status) ? queries[status] : { status })
        },
        signal
      })
      return { items: page.sessions, next: page.next_cursor }
    },
    [status, instance, reference]
  )
  const names = new Map(instances.map(({ id, name }) => [id, name]))
  return (
    <>
      <Filters instances={instances} />
      <Loaded of={pages}>
        {({ items }) =>
          items.length > 0 ? (
            <Table
              label="KYC sessions, newest first"
              rows={items}
              columns={[
                {
                  label: "Session",
                  cell: ({ external_reference, id }) => (
                    <Link to={sessionPath(id)}>{external_reference || "No reference"}</Link>
                  ),
                  under: ({ id }) => <code>{id}</code>
                },
                { label: "Status", cell: (session) => <SessionState session={session} /> },
                { label: "Instance", cell: ({ instance_id }) => names.get(instance_id) ?? "" },
                { label: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
                { label: "Finished", cell: ({ completed_at }) => <Time at={completed_at} never="Not yet" /> }
              ]}
            />
          ) : instance || reference || status ? (
            <Empty
              title="No session matches"
              action={
                <Button
                  onClick={() => setQuery({ status: undefined, instance: undefined, reference: undefined })}
                >
                  Show all sessions
                </Button>
              }
            >
              References must match exactly, including capitals and spaces.
            </Empty>
          ) : (
            <Empty
              title="No sessions yet"
              action={
                <Link to="/dashboard/instances" class="button">
                  Go to the instances
                </Link>
              }
            >
              Your server creates sessions with an API key. To try it yourself, create a test session on the
              page of an instance.
            </Empty>
          )
        }
      </Loaded>
      {pages.more}
    </>
  )
}

export const SessionsPage = () => {
  const loaded = useCall("kyc-instances.list")
  return (
    <Page title="Sessions" intro="All verifications of your end users, finished or not.">
      <Loaded of={loaded}>{({ instances }) => <SessionList instances={instances} />}</Loaded>
    </Page>
  )
}
