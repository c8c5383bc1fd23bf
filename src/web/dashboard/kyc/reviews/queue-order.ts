/** Which review comes next. */
import { call } from "../../common/call.ts"
import { isDeciding } from "./deciding.ts"
import { claimOf, type Review } from "./review-state.tsx"

export interface QueueFilter {
  readonly status?: string | undefined
  readonly instanceId?: string | undefined
  readonly reviewer?: string | undefined
}

/** The filter in the address of a page. */
export const filterIn = (query: URLSearchParams): QueueFilter => ({
  status: query.get("status") ?? undefined,
  instanceId: query.get("instance") ?? undefined,
  reviewer: query.get("reviewer") ?? undefined
})

/** Reviews that the user has passed over since they came to the queue. */
const skipped = new Set<string>()

export const skip = (sessionId: string): void => void skipped.add(sessionId)
export const forgetSkipped = (): void => skipped.clear()

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

/** The review that has waited longest and is open to the user; undefined if there is none. */
export const nextReview = async (
  userId: string,
  filter: QueueFilter,
  signal?: AbortSignal
): Promise<Review | undefined> => {
  let cursor: string | undefined
  do {
    const page = await call("kyc-reviews.list", {
      query: { ...filter, limit: 50, cursor },
      ...(signal === undefined ? {} : { signal })
    })
    const next = page.reviews.find((review) => !skipped.has(review.session_id) && isOpenTo(userId, review))
    if (next !== undefined) return next
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
  return undefined
}
