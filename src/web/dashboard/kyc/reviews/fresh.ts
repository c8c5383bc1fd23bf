import { useEffect, useRef } from "preact/hooks"
import type { Review } from "./review-state.tsx"

/** Loads again when the user comes back to the window, and when somebody else has claimed the review or decided. */
export const useFresh = (refresh: () => void, review: Review | undefined, userId: string) => {
  const latest = useRef(refresh)
  latest.current = refresh
  useEffect(() => {
    const look = () => latest.current()
    addEventListener("focus", look)
    return () => removeEventListener("focus", look)
  }, [])
  const claimant = review?.claim?.user_id === userId ? undefined : review?.claim?.user_id
  const known = review && [review.status, claimant, review.proposal?.proposed_at].join()
  const seen = useRef<string>(undefined)
  useEffect(() => {
    if (seen.current !== undefined && seen.current !== known) latest.current()
    seen.current = known
  }, [known])
}
