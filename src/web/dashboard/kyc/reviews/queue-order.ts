/** Which review comes next. */
import { chosen, doorlock } from "../../common/call.ts"
import { isDeciding } from "./deciding.ts"
import { claimOf, type Review } from "./review-state.tsx"

export interface QueueFilter {
  readonly status?: string | undefined
  readonly instanceId?: string | undefined
  readonly reviewer?: string | undefined
}

/** The states by which reviews are filtered. */
export const queueStates = [
  ["pending", "To review"],
  ["proposed", "To be confirmed"],
  ["decided", "Decided"]
] as const

/** The filter in the address of a page, without a state that does not exist. */
export const filterIn = (query: URLSearchParams): QueueFilter => ({
  status: queueStates.find(([state]) => state === query.get("status"))?.[0],
  instanceId: query.get("instance") ?? undefined,
  reviewer: query.get("reviewer") ?? undefined
})

/** Reviews that the user has passed over since they came to the queue. */
const skipped = new Set<string>()

export const skip = (sessionId: string): void => void skipped.add(sessionId)
export const forgetSkipped = (): void => skipped.clear()

/** The cursors of the pages of the queue on which reviews were seen, by their sessions; undefined is that of the first page. */
const seenAt = new Map<string, string | undefined>()

/** Notes where waiting reviews were seen, to go on from there. */
export const noteSeen = (reviews: ReadonlyArray<Review>, cursor: string | undefined): void => {
  for (const { session_id } of reviews) seenAt.set(session_id, cursor)
}

/** What the next user must not go by. */
export const forgetQueue = (): void => {
  skipped.clear()
  seenAt.clear()
}

/** Whether the user can decide on it now: nobody else has it, and it is not their own proposal. */
export const isOpenTo = (userId: string, review: Review): boolean => {
  const claim = claimOf(review)
  return (
    review.status !== "decided" &&
    (claim === null || claim.user_id === userId) &&
    review.proposal?.proposed_by !== userId &&
    !isDeciding(review.session_id)
  )
}

/** Whether it is behind the other in the queue. */
const isBehind = (review: Review, other: Review): boolean =>
  review.waiting_since === other.waiting_since
    ? review.session_id > other.session_id
    : review.waiting_since > other.waiting_since

interface Search {
  readonly userId: string
  readonly filter: QueueFilter
  readonly signal: AbortSignal
  /** The review after which to go on; without it, or if the queue has not shown it, the search begins with the longest waiting. */
  readonly after?: Review | undefined
}

/**
 * The next review in the queue that is open to the user, or the first one if there is none behind `after`; undefined if no review is open
 * to them.
 */
export const nextReview = async ({ after, filter, signal, userId }: Search): Promise<Review | undefined> => {
  /** The first that fits, on the page at the cursor or behind it, until a review for which `isEnd`. */
  const find = async (
    start: string | undefined,
    fits: (review: Review) => boolean,
    isEnd: (review: Review) => boolean
  ) => {
    let cursor = start
    do {
      const { next_cursor, reviews } = await doorlock.reviews.list(chosen({ ...filter, limit: 50, cursor }), {
        signal
      })
      noteSeen(reviews, cursor)
      const found = reviews.find(
        (review) => fits(review) && !skipped.has(review.session_id) && isOpenTo(userId, review)
      )
      if (found !== undefined || reviews.some(isEnd)) return found
      cursor = next_cursor ?? undefined
    } while (cursor !== undefined)
    return undefined
  }
  if (after === undefined || !seenAt.has(after.session_id)) {
    return await find(
      undefined,
      () => true,
      () => false
    )
  }
  const isAhead = (review: Review) => isBehind(review, after)
  return (
    (await find(seenAt.get(after.session_id), isAhead, () => false)) ??
    (await find(undefined, (review) => !isAhead(review), isAhead))
  )
}
