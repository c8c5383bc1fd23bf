import { useEffect, useRef } from "preact/hooks"
import { useAccount, useIsReviewer } from "../../common/account.ts"
import { chosen, doorlock } from "../../common/call.ts"
import { SelectFilter, UnknownFilters, unknownFilters } from "../../common/filters.tsx"
import { useLive } from "../../common/live.ts"
import { Badge, Empty, Page } from "../../common/parts.tsx"
import { Loaded, usePages, useResource } from "../../common/resource.tsx"
import { Link, setQuery, useLocation } from "../../common/router.tsx"
import { useShortcuts } from "../../common/shortcuts.ts"
import { Table } from "../../common/table.tsx"
import { Time } from "../../common/time.tsx"
import { Flags } from "../sessions/session-state.tsx"
import { isDeciding, useDecisions } from "./deciding.ts"
import { useGoOn } from "./going-on.ts"
import { Keyed } from "./keyed.tsx"
import { filterIn, forgetSkipped, noteSeen, type QueueFilter, queueStates } from "./queue-order.ts"
import { claimOf, nameOf, person, type Review, ReviewState, reviewPath } from "./review-state.tsx"

const State = ({ review }: { readonly review: Review }) => (
  <span class="badges">
    <ReviewState review={review} />
    {review.previous_session_id === null ? null : <Badge>Resubmitted</Badge>}
    {review.mode === "dev" ? <Badge>Test</Badge> : null}
  </span>
)

const Who = ({ review }: { readonly review: Review }) => {
  const { user } = useAccount()
  const claim = claimOf(review)
  if (review.status === "decided") return person(review.decided_by_email, review.decided_by)
  if (claim === null) return <span class="faint nothing">Nobody</span>
  return claim.user_id === user.id ? "You" : claim.email
}

/** The rows' links, in their order. */
const linksIn = (list: HTMLElement | null): ReadonlyArray<HTMLElement> => [
  ...(list?.querySelectorAll<HTMLElement>("tbody th a") ?? [])
]

/** Undefined if none of them has the focus. */
const focusedAmong = (links: ReadonlyArray<HTMLElement>): number | undefined => {
  const at = links.findIndex((link) => link.matches(":focus"))
  return at === -1 ? undefined : at
}

const withQuery = (path: string) => `${path}${location.search}`

const Queue = ({ filter }: { readonly filter: QueueFilter }) => {
  const isReviewer = useIsReviewer()
  const list = useRef<HTMLDivElement>(null)
  const { busy, go, problem } = useGoOn()
  const isDecided = filter.status === "decided"
  // A decision that is about to be sent leaves the list at once.
  useDecisions()
  const pages = usePages(
    async (cursor, signal) => {
      const page = await doorlock.reviews.list(chosen({ ...filter, limit: 50, cursor }), { signal })
      if (!isDecided) noteSeen(page.reviews, cursor)
      return {
        items: page.reviews.map((review) => ({ ...review, id: review.session_id })),
        next: page.next_cursor
      }
    },
    [filter.status, filter.instanceId, filter.reviewer]
  )
  useLive(pages.refresh)
  const start = () => {
    forgetSkipped()
    go({ filter, onNone: pages.reload })
  }
  const step = (by: 1 | -1) => () => {
    const links = linksIn(list.current)
    const at = focusedAmong(links)
    links[at === undefined ? 0 : Math.min(links.length - 1, Math.max(0, at + by))]?.focus()
  }
  useShortcuts({
    j: step(1),
    arrowdown: step(1),
    k: step(-1),
    arrowup: step(-1),
    s: isDecided ? undefined : start
  })
  return (
    <Loaded of={pages}>
      {({ items }) => {
        const rows = items.filter(({ session_id }) => isDecided || !isDeciding(session_id))
        if (rows.length === 0) {
          return Object.values(filter).some(Boolean) ? (
            <Empty
              title="No review matches"
              action={
                <Keyed
                  letter={undefined}
                  onClick={() => setQuery({ status: undefined, instance: undefined, reviewer: undefined })}
                >
                  Show all waiting reviews
                </Keyed>
              }
            >
              Other reviews may be waiting. Remove the filters to see them.
            </Empty>
          ) : (
            <Empty
              icon="reviews"
              title="Nothing is waiting for a decision"
              action={
                isReviewer ? undefined : (
                  <Link to="/dashboard/instances" class="button">
                    Go to the instances
                  </Link>
                )
              }
            >
              Submitted sessions appear here if their instance has manual review. The list updates
              automatically.
            </Empty>
          )
        }
        return (
          <div ref={list}>
            {isDecided ? null : (
              <p class="queue-start">
                <Keyed letter="S" look="primary" busy={busy} onClick={start}>
                  Start with the longest waiting
                </Keyed>
                <span class="under about-keys">
                  J and K, or the arrow keys, move through the list; Enter opens a review.
                </span>
              </p>
            )}
            {problem}
            <Table
              label={isDecided ? "Reviews, latest decision first" : "Reviews, longest waiting first"}
              rows={rows}
              columns={[
                {
                  label: "Session",
                  cell: (review) => (
                    <Link to={withQuery(reviewPath(review.session_id))}>{nameOf(review)}</Link>
                  )
                },
                isDecided
                  ? { label: "Decided", cell: ({ decided_at }) => <Time at={decided_at} /> }
                  : { label: "Submitted", cell: ({ waiting_since }) => <Time at={waiting_since} /> },
                { label: "State", cell: (review) => <State review={review} /> },
                { label: "Flags", cell: ({ flags }) => <Flags of={flags} /> },
                { label: "Instance", cell: ({ instance_name }) => instance_name },
                {
                  label: isDecided ? "Decided by" : "Being reviewed by",
                  cell: (review) => <Who review={review} />
                }
              ]}
            />
            {pages.more}
          </div>
        )
      }}
    </Loaded>
  )
}

const Filters = () => {
  const { user } = useAccount()
  const { value } = useResource((signal) => doorlock.reviews.choices({ signal }), [])
  const others = value?.reviewers.filter(({ id }) => id !== user.id) ?? []
  return (
    <form class="filters" aria-label="Reviews" onSubmit={(event) => event.preventDefault()}>
      <SelectFilter name="status" label="State" any="Waiting" choices={queueStates} />
      <SelectFilter
        name="instance"
        label="Instance"
        any="Any"
        choices={value?.instances.map(({ id, name }) => [id, name])}
      />
      <SelectFilter
        name="reviewer"
        label="Reviewer"
        any="Anybody"
        choices={value && [[user.id, "You"], ...others.map(({ id, email }) => [id, email] as const)]}
      />
    </form>
  )
}

export const QueuePage = () => {
  const { query } = useLocation()
  const filter = filterIn(query)
  useEffect(forgetSkipped, [])
  return (
    <Page
      title="Reviews"
      intro={
        filter.status === "decided"
          ? "Sessions that your company has decided on, latest decision first."
          : "Sessions waiting for your company's decision, longest waiting first."
      }
    >
      <Filters />
      <UnknownFilters of={unknownFilters(query, { status: queueStates })} />
      <Queue filter={filter} />
    </Page>
  )
}
