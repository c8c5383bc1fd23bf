import { useLayoutEffect, useRef } from "preact/hooks"
import { useAccount } from "../../common/account.ts"
import { useAction } from "../../common/action.tsx"
import { navigate, useLocation } from "../../common/router.tsx"
import { undoneOf } from "./deciding.ts"
import { filterIn, nextReview, type QueueFilter } from "./queue-order.ts"
import { type Review, reviewPath } from "./review-state.tsx"

export const queuePath = "/dashboard/reviews"

interface GoingOn {
  readonly filter: QueueFilter
  /** The review after which to go on. */
  readonly after?: Review
  /** Whether the user agreed to leave the page, whatever they have typed on it. */
  readonly agreed?: boolean
  /** Whether the page of the next review takes the place of this page in the tab's history. */
  readonly replace?: boolean
  /** Whether to go there still, once it is known where. */
  readonly isWanted?: () => boolean
  /** If there is no next review. */
  readonly onNone: () => Promise<void>
}

/** Goes to the next review. A user who goes somewhere else meanwhile stays there. */
export const useGoOn = () => {
  const { user } = useAccount()
  const here = useLocation()
  const { busy, problem, run } = useAction()
  const latest = useRef<AbortController>(undefined)
  // Each navigation makes a new location, even to the same address. A layout effect, because the answer may come before the next paint.
  useLayoutEffect(() => () => latest.current?.abort(), [here])

  const go = ({ after, agreed = false, filter, isWanted = () => true, onNone, replace = false }: GoingOn) =>
    run(async () => {
      latest.current?.abort()
      const asking = new AbortController()
      latest.current = asking
      const { signal } = asking
      try {
        const next = await nextReview({ userId: user.id, filter, after, signal })
        if (signal.aborted || !isWanted()) return
        if (next === undefined) await onNone()
        else await navigate(`${reviewPath(next.session_id)}${location.search}`, { agreed, replace })
      } catch (cause) {
        if (!signal.aborted) throw cause
      }
    })
  return { busy, problem, go: (how: GoingOn) => void go(how) }
}

/** Goes to the next review of the queue, or back to the queue if there is none. */
export const useNext = (review: Review) => {
  const { query } = useLocation()
  const { busy, go, problem } = useGoOn()
  return {
    busy,
    problem,
    /** @param decided whether a decision was made, with which all that was typed is kept: if it is taken back meanwhile, the user stays */
    go: (decided: boolean) => {
      const { status, ...filter } = filterIn(query)
      go({
        filter: status === "decided" ? filter : { ...filter, status },
        after: review,
        agreed: decided,
        replace: true,
        isWanted: () => !decided || undoneOf(review.session_id) === undefined,
        onNone: () => navigate(`${queuePath}${location.search}`, { agreed: decided, replace: true })
      })
    }
  }
}
