/** The page on which a person decides on a session. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { Alert, Button } from "../../../ui/parts.tsx"
import { useAccount, useMayReview } from "../../common/account.ts"
import { useAction } from "../../common/action.tsx"
import { call } from "../../common/call.ts"
import { useLive } from "../../common/live.ts"
import type { PageProps } from "../../common/page.ts"
import { Page, Section } from "../../common/parts.tsx"
import { Loaded, useCall, useResource } from "../../common/resource.tsx"
import { Link, navigate, useLocation } from "../../common/router.tsx"
import { useShortcuts } from "../../common/shortcuts.ts"
import { Time } from "../../common/time.tsx"
import { Answers, Checks, type Evidence, loadEvidence, Matches, Photos } from "../evidence/evidence.tsx"
import { RawSession } from "../evidence/raw.tsx"
import { checksOf } from "../evidence/session-checks.ts"
import { titlesOf } from "../evidence/session-steps.ts"
import { NewLink } from "../sessions/new-link.tsx"
import { sessionPath } from "../sessions/session-state.tsx"
import { Timeline } from "../sessions/timeline.tsx"
import { type Claiming, useClaim } from "./claiming.ts"
import { type DecisionMade, decide } from "./deciding.ts"
import { DecisionBar } from "./decision-bar.tsx"
import { History } from "./history.tsx"
import { Keyed } from "./keyed.tsx"
import { NewNote, NoteList } from "./notes.tsx"
import { filterIn, isOpenTo, nextReview, skip } from "./queue-order.ts"
import {
  claimOf,
  type Note,
  nameOf,
  type Options,
  type Review,
  ReviewState,
  reviewPath
} from "./review-state.tsx"

const load = async (id: string, signal: AbortSignal) => {
  const [evidence, { notes }] = await Promise.all([
    loadEvidence(id, signal),
    call("kyc-reviews.listNotes", { path: { id }, signal })
  ])
  return { ...evidence, notes }
}

const queue = "/dashboard/reviews"

/** Goes to the review that has waited longest, or back to the queue if there is none. */
const useNext = () => {
  const { user } = useAccount()
  const { query } = useLocation()
  const { busy, problem, run } = useAction()
  const go = () =>
    run(async () => {
      const { status, ...filter } = filterIn(query)
      const next = await nextReview(user.id, status === "decided" ? filter : { ...filter, status })
      const to = next === undefined ? queue : reviewPath(next.session_id)
      await navigate(`${to}${location.search}`, { replace: true })
    })
  return { busy, problem, go: () => void go() }
}

interface WhyNotProps {
  readonly review: Review
  readonly options: Options
  readonly claiming: Claiming
  readonly onNext: () => void
}

/** Why the user cannot decide on the session. */
const WhyNot = ({ claiming, onNext, options, review }: WhyNotProps): ComponentChildren => {
  const { user } = useAccount()
  const mayReview = useMayReview()
  const claim = claimOf(review)
  useShortcuts({ s: onNext })
  const [linking, setLinking] = useState(false)
  const renewLink = (expiresInSeconds: number) =>
    call("kyc-reviews.renewLink", { path: { id: review.session_id }, body: { expiresInSeconds } })
  const said = () => {
    if (review.status === "decided") return <History review={review} options={options} />
    if (!mayReview) return <p>You can see the review, but not decide on it.</p>
    if (review.proposal?.proposed_by === user.id) {
      return <p>You proposed a decision. Another person has to confirm it.</p>
    }
    if (claim !== null && claim.user_id !== user.id) {
      return (
        <p>
          Being reviewed by <strong>{claim.email}</strong>. You can look, but not decide.
        </p>
      )
    }
    if (claiming.state === "refused") return <p>{claiming.failure.message}.</p>
    return <p>One moment…</p>
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

interface ShownProps extends Evidence {
  readonly notes: ReadonlyArray<Note>
  readonly review: Review
  readonly options: Options
  readonly onNote: (note: Note) => void
}

const ReviewShown = (props: ShownProps) => {
  const { events, matches, notes, onNote, options, photos, review, session, steps } = props
  const { user } = useAccount()
  const mayReview = useMayReview()
  const isOpen = mayReview && isOpenTo(user.id, review)
  const claiming = useClaim(session.id, isOpen)
  const next = useNext()
  const titles = titlesOf(session)
  const decideAndGoOn = (made: DecisionMade) => {
    decide(made)
    next.go()
  }
  const skipIt = () => {
    skip(session.id)
    next.go()
  }
  return (
    <div class="review">
      {next.problem}
      <div class="case">
        <div class="case-photos">
          <Photos sessionId={session.id} photos={photos} atOnce />
        </div>
        <Section title="Person" scrolls>
          <Answers session={session} steps={steps} />
        </Section>
        <div class="case-facts">
          <Section title="Checks" scrolls>
            <Checks checks={checksOf(session, steps)} />
          </Section>
          <div class="case-column">
            <Section title="Other sessions" scrolls>
              <Matches matches={matches} />
            </Section>
            {notes.length === 0 ? null : (
              <Section title="Notes" scrolls>
                <NoteList notes={notes} />
              </Section>
            )}
          </div>
          <Section title="Timeline" scrolls>
            <Timeline events={events} titles={titles} />
          </Section>
        </div>
      </div>
      {isOpen && claiming.state === "mine" ? (
        <DecisionBar
          review={review}
          options={options}
          titles={titles}
          name={nameOf(review)}
          busy={next.busy}
          onDecide={decideAndGoOn}
          onSkip={skipIt}
        />
      ) : (
        <WhyNot review={review} options={options} claiming={claiming} onNext={skipIt} />
      )}
      {mayReview ? (
        <Section title="New note" intro="Only your company sees it. A note cannot be changed.">
          <NewNote sessionId={session.id} onAdded={onNote} />
        </Section>
      ) : null}
      <RawSession session={session} />
    </div>
  )
}

const NotReviewed = ({ id }: { readonly id: string }) => (
  <Alert tone="info" title="This session has no review">
    <p>
      It is not completed, or its instance has no manual review.{" "}
      <Link to={sessionPath(id)}>See the session</Link>
    </p>
  </Alert>
)

export const ReviewPage = ({ parameters: { id = "" } }: PageProps) => {
  const { user } = useAccount()
  const known = useResource((signal) => load(id, signal), [id])
  const state = useCall("kyc-reviews.get", { path: { id } })
  // A colleague or the company's server may claim it or decide on it at any moment.
  useLive(state.refresh)
  const review = state.value?.review ?? undefined
  const claim = review && claimOf(review)
  return (
    <Page
      title={review === undefined ? "Review" : nameOf(review)}
      parent={{ to: `${queue}${location.search}`, label: "Reviews" }}
      intro={
        review && (
          <span class="review-about">
            <ReviewState review={review} /> {review.instance_name}, submitted{" "}
            <Time at={review.waiting_since} />
            {review.previous_session_id === null ? null : (
              <>
                , asked again after{" "}
                <Link to={sessionPath(review.previous_session_id)}>an earlier session</Link>
              </>
            )}
            {claim === null || claim === undefined || claim.user_id === user.id
              ? null
              : `, with ${claim.email}`}
          </span>
        )
      }
      actions={
        <Link to={sessionPath(id)} class="button">
          Session
        </Link>
      }
    >
      <Loaded of={state}>
        {({ options, review }) =>
          review === null ? (
            <NotReviewed id={id} />
          ) : (
            <Loaded of={known}>
              {(all) => (
                <ReviewShown
                  {...all}
                  review={review}
                  options={options}
                  onNote={(note) => known.set((before) => ({ ...before, notes: [...before.notes, note] }))}
                />
              )}
            </Loaded>
          )
        }
      </Loaded>
    </Page>
  )
}
