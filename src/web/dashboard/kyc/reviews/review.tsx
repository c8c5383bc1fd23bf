/** The page on which a person decides on a session. */
import { useEffect, useState } from "preact/hooks"
import { Alert } from "../../../ui/parts.tsx"
import { useAccount, useMayReview } from "../../common/account.ts"
import { doorlock } from "../../common/call.ts"
import { useLive } from "../../common/live.ts"
import type { PageProps } from "../../common/page.ts"
import { Page, Section } from "../../common/parts.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"
import { Link } from "../../common/router.tsx"
import { Time } from "../../common/time.tsx"
import { sentence } from "../../common/words.ts"
import { Answers, CheckSummary, type Evidence, loadEvidence, Matches, Photos } from "../evidence/evidence.tsx"
import { usePictures } from "../evidence/pictures.ts"
import { RawSession } from "../evidence/raw.tsx"
import { checksOf, missingCheck } from "../evidence/session-checks.ts"
import { titlesOf } from "../evidence/session-steps.ts"
import { DataDestroyed, sessionPath } from "../sessions/session-state.tsx"
import { Timeline } from "../sessions/timeline.tsx"
import { useClaim } from "./claiming.ts"
import { decide, forgetUndone, isDeciding, undoneOf, useDecisions } from "./deciding.ts"
import { DecisionBar } from "./decision-bar.tsx"
import type { Chosen } from "./decision-panel.tsx"
import { useFresh } from "./fresh.ts"
import { queuePath, useNext } from "./going-on.ts"
import { History } from "./history.tsx"
import { NewNote, NoteList } from "./notes.tsx"
import { isOpenTo, skip } from "./queue-order.ts"
import {
  claimOf,
  type Decision,
  isBarred,
  type Note,
  nameOf,
  type Options,
  person,
  type Review,
  ReviewState
} from "./review-state.tsx"
import { WhyNot } from "./why-not.tsx"

const load = async (id: string, signal: AbortSignal) => {
  const [evidence, { notes }] = await Promise.all([
    loadEvidence(id, signal),
    doorlock.reviews.listNotes(id, { signal })
  ])
  return { ...evidence, notes }
}

interface ShownProps extends Evidence {
  readonly notes: ReadonlyArray<Note>
  readonly review: Review
  readonly options: Options
  readonly onNote: (note: Note) => void
  /** Loads what others may have added. */
  readonly onRefresh: () => void
}

interface DestroyedProps extends Pick<ShownProps, "events" | "options" | "session"> {
  readonly at: string
  readonly review: Review | null
}

const ReviewShown = (props: ShownProps) => {
  const { events, matches, notes, onNote, onRefresh, options, photos, review, session, steps } = props
  const { user } = useAccount()
  const mayReview = useMayReview()
  // Deciding and undoing changes whether it is open.
  useDecisions()
  const isOpen = mayReview && isOpenTo(user.id, review) && !isBarred(review, options, user.id)
  const claiming = useClaim(session.id, isOpen, onRefresh)
  const next = useNext(review)
  const [draft, setDraft] = useState(() => undoneOf(session.id)?.draft ?? "")
  useEffect(() => () => forgetUndone(session.id), [session.id])
  const titles = titlesOf(session)
  const pictures = usePictures(session.id, photos, true)
  const decideAndGoOn = (decision: Decision, proposes: boolean, chosen: Chosen) => {
    const { search } = location
    const { id: userId } = user
    decide({
      sessionId: session.id,
      userId,
      name: nameOf(review),
      search,
      decision,
      proposes,
      ...chosen,
      draft
    })
    next.go(true)
  }
  const skipIt = () => {
    skip(session.id)
    next.go(false)
  }
  return (
    <div class="review">
      {next.problem}
      <div class="case">
        <div class="case-photos">
          <Photos sessionId={session.id} photos={photos} pictures={pictures} />
        </div>
        <Section title="Person" scrolls>
          <Answers session={session} steps={steps} />
        </Section>
        <div class="case-facts">
          <Section title="Checks" scrolls>
            <CheckSummary checks={[...missingCheck(pictures.missing), ...checksOf(session, steps)]} />
          </Section>
          <Section title="Other sessions" scrolls>
            <Matches matches={matches} session={session} />
          </Section>
          <div class="case-column">
            {notes.length === 0 ? null : (
              <Section title="Notes" scrolls>
                <NoteList notes={notes} />
              </Section>
            )}
            <Section title="Timeline" scrolls>
              <Timeline events={events} titles={titles} />
            </Section>
          </div>
        </div>
      </div>
      {isOpen && claiming.state === "mine" ? (
        <DecisionBar
          review={review}
          options={options}
          titles={titles}
          missing={pictures.missing}
          busy={next.busy}
          trouble={claiming.failure && sentence(claiming.failure.message)}
          onDecide={decideAndGoOn}
          onSkip={skipIt}
        />
      ) : (
        <WhyNot review={review} options={options} claiming={claiming} onNext={skipIt} />
      )}
      {mayReview ? (
        <Section
          title="Add a note"
          intro={`Only your company sees notes. They cannot be changed.${
            isOpen ? " If you decide before you add it, it is saved with your decision." : ""
          }`}
        >
          <NewNote
            sessionId={session.id}
            onAdded={onNote}
            draft={draft}
            onDraft={setDraft}
            isKept={isDeciding(session.id)}
          />
        </Section>
      ) : null}
      <RawSession session={session} />
    </div>
  )
}

/** What stays of a review whose session has no personal data any more. */
const Destroyed = ({ at, events, options, review, session }: DestroyedProps) => (
  <>
    <DataDestroyed at={at} />
    {review === null ? null : (
      <Section title="Review">
        <History review={review} options={options} />
      </Section>
    )}
    <Section title="Timeline">
      <Timeline events={events} titles={titlesOf(session)} />
    </Section>
  </>
)

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
  const state = useResource((signal) => doorlock.reviews.get(id, { signal }), [id])
  const refresh = () => void known.refresh()
  // A colleague or the company's server may claim it or decide on it at any moment.
  useLive(state.refresh)
  const review = state.value?.review ?? undefined
  useFresh(refresh, review, user.id)
  const claim = review && claimOf(review)
  return (
    <Page
      title={review === undefined ? "Review" : nameOf(review)}
      isLoading={state.value === undefined && state.failure === undefined}
      parent={{ to: `${queuePath}${location.search}`, label: "Reviews" }}
      intro={
        review && (
          <span class="review-about">
            <ReviewState review={review} /> <Link to={sessionPath(id)}>Session</Link> of{" "}
            {review.instance_name}, submitted <Time at={review.waiting_since} />
            {review.previous_session_id === null ? null : (
              <>
                , asked again after{" "}
                <Link to={sessionPath(review.previous_session_id)}>an earlier session</Link>
              </>
            )}
            {review.link_shown_to.length === 0
              ? null
              : `, link shown to ${new Intl.ListFormat("en").format(review.link_shown_to.map(({ by, email }) => person(email, by)))}`}
            {claim === null || claim === undefined || claim.user_id === user.id
              ? null
              : `, with ${claim.email}`}
          </span>
        )
      }
    >
      <Loaded of={state}>
        {({ options, review }) => (
          <Loaded of={known}>
            {(all) => {
              const { redacted_at } = all.session
              if (redacted_at !== null) {
                return <Destroyed {...all} at={redacted_at} review={review} options={options} />
              }
              if (review === null) return <NotReviewed id={id} />
              return (
                <ReviewShown
                  {...all}
                  review={review}
                  options={options}
                  onNote={(note) => known.set((before) => ({ ...before, notes: [...before.notes, note] }))}
                  onRefresh={refresh}
                />
              )
            }}
          </Loaded>
        )}
      </Loaded>
    </Page>
  )
}
