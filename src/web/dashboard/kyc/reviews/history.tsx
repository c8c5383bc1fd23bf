import { Link } from "../../common/router.tsx"
import { Time } from "../../common/time.tsx"
import { sessionPath } from "../sessions/session-state.tsx"
import { decisions, type Options, person, type Review, ReviewState } from "./review-state.tsx"

interface DecidedProps {
  readonly review: Review
  readonly options: Options
}

interface ReasonsProps {
  readonly codes: ReadonlyArray<string>
  readonly options: Options
}

/** Reasons as the reviewer chose them; a code that the config no longer has as it is. */
export const Reasons = ({ codes, options }: ReasonsProps) =>
  codes.length === 0 ? null : (
    <ul class="reasons">
      {codes.map((code) => (
        <li key={code}>{options.reasons.find((reason) => reason.code === code)?.text ?? code}</li>
      ))}
    </ul>
  )

/** What was proposed and decided, and the sessions before and after. */
export const History = ({ options, review }: DecidedProps) => (
  <ol class="timeline">
    {review.previous_session_id === null ? null : (
      <li>
        <p>
          Asked again after <Link to={sessionPath(review.previous_session_id)}>an earlier session</Link>
        </p>
      </li>
    )}
    <li>
      <p>Submitted</p>
      <Time at={review.waiting_since} precise />
    </li>
    {review.proposal === null ? null : (
      <li>
        <p>
          {decisions[review.proposal.decision].act} proposed by{" "}
          {person(review.proposal.proposed_by_email, review.proposal.proposed_by)}
        </p>
        <Reasons codes={review.proposal.reasons} options={options} />
        <Time at={review.proposal.proposed_at} precise />
      </li>
    )}
    {review.decided_at === null ? (
      <li class="ahead">
        <p>
          <ReviewState review={review} />
        </p>
      </li>
    ) : (
      <li class={review.decision === "approved" ? "good" : review.decision === "declined" ? "problem" : ""}>
        <p>
          <ReviewState review={review} /> by {person(review.decided_by_email, review.decided_by)}
        </p>
        <Reasons codes={review.reasons} options={options} />
        <Time at={review.decided_at} precise />
      </li>
    )}
    {review.next_session_id === null ? null : (
      <li>
        <p>
          Asked again in <Link to={sessionPath(review.next_session_id)}>a new session</Link>
        </p>
      </li>
    )}
  </ol>
)
