import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../../ui/parts.tsx"
import { useAccount, useMayReview } from "../../common/account.ts"
import { doorlock } from "../../common/call.ts"
import { useShortcuts } from "../../common/shortcuts.ts"
import { sentence } from "../../common/words.ts"
import { NewLink } from "../sessions/new-link.tsx"
import type { Claiming } from "./claiming.ts"
import { isDeciding } from "./deciding.ts"
import { History } from "./history.tsx"
import { Keyed } from "./keyed.tsx"
import { claimOf, decisions, isBarred, type Options, type Review } from "./review-state.tsx"

interface WhyNotProps {
  readonly review: Review
  readonly options: Options
  readonly claiming: Claiming
  readonly onNext: () => void
}

/** Why the user cannot decide on the session. */
export const WhyNot = ({ claiming, onNext, options, review }: WhyNotProps): ComponentChildren => {
  const { user } = useAccount()
  const mayReview = useMayReview()
  const claim = claimOf(review)
  useShortcuts({ s: onNext })
  const [linking, setLinking] = useState(false)
  const renewLink = (expiresInSeconds: number) =>
    doorlock.reviews.renewLink(review.session_id, { expiresInSeconds })
  const said = () => {
    if (review.status === "decided") return <History review={review} options={options} />
    if (isDeciding(review.session_id)) return <p>Your decision is being saved.</p>
    if (!mayReview) return <p>You can see the review, but not decide on it.</p>
    if (review.proposal?.proposed_by === user.id) {
      const { act } = decisions[review.proposal.decision]
      return <p>You proposed to {act.toLowerCase()}. Another person has to confirm it.</p>
    }
    if (isBarred(review, options, user.id)) {
      return <p>You were shown the link to this session. Two others have to decide.</p>
    }
    if (claim !== null && claim.user_id !== user.id) {
      return (
        <p>
          Being reviewed by <strong>{claim.email}</strong>. You can look, but not decide.
        </p>
      )
    }
    const { failure, state } = claiming
    if (failure === undefined) return <p>One moment…</p>
    return (
      <p>
        {sentence(failure.message)} {state === "refused" ? null : "The page tries again automatically."}
      </p>
    )
  }
  return (
    <div class="decision-bar">
      <div class="decisions">
        <div class="why-not">{said()}</div>
        {mayReview && review.next_session_id !== null ? (
          <Button onClick={() => setLinking(true)}>New link for the end user</Button>
        ) : null}
        <Keyed letter="S" onClick={onNext}>
          Next review
        </Keyed>
      </div>
      {linking ? <NewLink make={renewLink} onClose={() => setLinking(false)} /> : null}
    </div>
  )
}
