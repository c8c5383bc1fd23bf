import { Button } from "../../../ui/parts.tsx"
import { useIsReviewer } from "../../common/account.ts"
import { doorlock } from "../../common/call.ts"
import type { PageProps } from "../../common/page.ts"
import { Facts, Page, Section } from "../../common/parts.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"
import { Link } from "../../common/router.tsx"
import { Time } from "../../common/time.tsx"
import { ResourceEvents } from "../../events/resource-events.tsx"
import { Answers, Checks, loadSession, Matches, PhotosOnRequest } from "../evidence/evidence.tsx"
import { RawSession } from "../evidence/raw.tsx"
import { checksOf } from "../evidence/session-checks.ts"
import { titlesOf } from "../evidence/session-steps.ts"
import { instancePath } from "../instances/instances.tsx"
import { History } from "../reviews/history.tsx"
import { Notes } from "../reviews/notes.tsx"
import { type Note, reviewPath } from "../reviews/review-state.tsx"
import { SessionActions } from "./session-actions.tsx"
import { DataDestroyed, SessionState, sessionPath } from "./session-state.tsx"
import { Timeline } from "./timeline.tsx"
import { Values } from "./values.tsx"

/** The instance's name, as a link for those who may see the instance. */
const InstanceLink = ({ id }: { readonly id: string }) => {
  const instance = useResource((signal) => doorlock.instances.get(id, { signal }), [id])
  return <Link to={instancePath(id)}>{instance.value?.instance.name ?? "Instance"}</Link>
}

interface SessionProps extends Awaited<ReturnType<typeof loadSession>> {
  readonly onEvent: () => void
  readonly onNote: (note: Note) => void
}

/** When it was and how it ended: what stays of a session whose data was destroyed. */
const About = ({ session }: Pick<SessionProps, "session">) => {
  const isReviewer = useIsReviewer()
  return (
    <Section title="About">
      <Facts
        of={[
          ["Status", <SessionState key="status" session={session} />],
          ["Instance", isReviewer ? undefined : <InstanceLink key="instance" id={session.instance_id} />],
          ["Created", <Time key="created" at={session.created_at} precise />],
          ["Finished", <Time key="finished" at={session.completed_at} never="Not yet" precise />],
          [
            "Link works until",
            session.completed_at === null ? <Time key="expires" at={session.expires_at} precise /> : undefined
          ],
          ["Id", <code key="id">{session.id}</code>]
        ]}
      />
    </Section>
  )
}

const ReviewSection = ({ options, review }: Pick<SessionProps, "options" | "review">) =>
  review === null ? null : (
    <Section title="Review">
      <History review={review} options={options} />
    </Section>
  )

const TimelineSection = ({ events, session }: Pick<SessionProps, "events" | "session">) => (
  <Section title="Timeline">
    <Timeline events={events} titles={titlesOf(session)} />
  </Section>
)

/** Reviewers may not read the feed. For all others, the page changes with each event. */
const EventSection = ({ onEvent, session }: Pick<SessionProps, "onEvent" | "session">) =>
  useIsReviewer() ? null : <ResourceEvents id={session.id} changedAt={session.updated_at} onNew={onEvent} />

const SessionShown = (props: SessionProps) => {
  const { matches, notes, onNote, photos, session, steps } = props
  if (session.redacted_at !== null) {
    return (
      <>
        <DataDestroyed at={session.redacted_at} />
        <About session={session} />
        <ReviewSection {...props} />
        <TimelineSection {...props} />
        <EventSection {...props} />
      </>
    )
  }
  return (
    <>
      <div class="case">
        <div class="case-photos">
          <PhotosOnRequest sessionId={session.id} photos={photos} />
        </div>
        <Section title="Person">
          <Answers session={session} steps={steps} />
        </Section>
        <div class="case-facts">
          <div class="case-column">
            <Section title="Checks">
              <Checks checks={checksOf(session, steps)} />
            </Section>
            <Section title="Other sessions">
              <Matches matches={matches} session={session} />
            </Section>
            <ReviewSection {...props} />
          </div>
          <About session={session} />
          <TimelineSection {...props} />
        </div>
      </div>
      {session.metadata === null ? null : (
        <Section title="Metadata" intro="What your server sent when it created the session.">
          <Values of={session.metadata} />
        </Section>
      )}
      <Section title="Notes" intro="Only your company sees notes. They cannot be changed.">
        <Notes sessionId={session.id} notes={notes} onAdded={onNote} />
      </Section>
      <EventSection {...props} />
      <RawSession session={session} />
    </>
  )
}

export const SessionPage = ({ parameters: { id = "" } }: PageProps) => {
  const known = useResource((signal) => loadSession(id, signal), [id])
  return (
    <Page
      title={known.value?.session.external_reference || "Session"}
      isLoading={known.value === undefined && known.failure === undefined}
      parent={{ to: "/dashboard/sessions", label: "Sessions" }}
      actions={
        <>
          {known.value === undefined ? null : (
            <SessionActions session={known.value.session} onChange={known.refresh} />
          )}
          {known.value?.review == null || known.value.review.status === "decided" ? null : (
            <Link to={reviewPath(id)} class="button primary">
              Review
            </Link>
          )}
          <Link to={`${sessionPath(id)}/report`} class="button">
            Report
          </Link>
          <Button onClick={() => void known.reload()}>Refresh</Button>
        </>
      }
    >
      <Loaded of={known}>
        {(all) => (
          <SessionShown
            {...all}
            onEvent={() => void known.refresh()}
            onNote={(note) => known.set((before) => ({ ...before, notes: [...before.notes, note] }))}
          />
        )}
      </Loaded>
    </Page>
  )
}
