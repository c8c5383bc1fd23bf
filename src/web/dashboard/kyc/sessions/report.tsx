/** One session on paper: what it holds of the person, and what was decided. */
import { Button } from "../../../ui/parts.tsx"
import { useAccount } from "../../common/account.ts"
import type { PageProps } from "../../common/page.ts"
import { Facts, Page, Section } from "../../common/parts.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"
import { Time } from "../../common/time.tsx"
import { Answers, Checks, loadSession, Matches } from "../evidence/evidence.tsx"
import { isShown, usePictures } from "../evidence/pictures.ts"
import { checksOf } from "../evidence/session-checks.ts"
import { titlesOf } from "../evidence/session-steps.ts"
import { History } from "../reviews/history.tsx"
import { NoteList } from "../reviews/notes.tsx"
import { DataDestroyed, SessionState, sessionPath } from "./session-state.tsx"
import { Timeline } from "./timeline.tsx"

const Report = ({
  events,
  matches,
  notes,
  options,
  photos,
  review,
  session,
  steps
}: Awaited<ReturnType<typeof loadSession>>) => {
  const { company, user } = useAccount()
  const shown = photos.filter(isShown)
  const pictures = usePictures(session.id, shown, true)
  return (
    <div class="report">
      <Section title="Session">
        <Facts
          of={[
            ["Company", company.name],
            ["Reference", session.external_reference ?? undefined],
            ["Status", <SessionState key="status" session={session} />],
            ["Id", <code key="id">{session.id}</code>],
            ["Created", <Time key="created" at={session.created_at} precise />],
            ["Submitted", <Time key="submitted" at={session.completed_at} never="Not yet" precise />],
            [
              "Report",
              <>
                <Time at={new Date().toISOString()} precise /> by {user.email}
              </>
            ]
          ]}
        />
      </Section>
      {session.redacted_at === null ? (
        <>
          <Section title="Person">
            <Answers session={session} steps={steps} />
          </Section>
          {shown.length === 0 ? null : (
            <Section title="Photos">
              <ul class="report-photos">
                {shown.map((photo) => {
                  const picture = pictures.of(photo)
                  return (
                    <li key={photo.id}>
                      {picture.state === "shown" ? (
                        // The words below it say what it is.
                        <img src={picture.url} alt="" />
                      ) : (
                        <p class="faint">{picture.state === "failed" ? picture.message : "Loading…"}</p>
                      )}
                      <p>
                        {photo.what} {photo.carried ? <span class="under">Carried over</span> : null}
                      </p>
                    </li>
                  )
                })}
              </ul>
            </Section>
          )}
          <Section title="Checks">
            <Checks checks={checksOf(session, steps)} />
          </Section>
          <Section title="Other sessions">
            <Matches matches={matches} session={session} />
          </Section>
        </>
      ) : (
        <DataDestroyed at={session.redacted_at} />
      )}
      {review === null ? null : (
        <Section title="Review">
          <History review={review} options={options} />
        </Section>
      )}
      {notes.length === 0 ? null : (
        <Section title="Notes">
          <NoteList notes={notes} />
        </Section>
      )}
      <Section title="Timeline">
        <Timeline events={events} titles={titlesOf(session)} />
      </Section>
    </div>
  )
}

export const ReportPage = ({ parameters: { id = "" } }: PageProps) => {
  const known = useResource((signal) => loadSession(id, signal), [id])
  return (
    <Page
      title={`Report: ${known.value?.session.external_reference || "session"}`}
      isLoading={known.value === undefined && known.failure === undefined}
      parent={{ to: sessionPath(id), label: "Session" }}
      actions={
        <Button look="primary" onClick={() => print()}>
          Print
        </Button>
      }
    >
      <Loaded of={known}>{(all) => <Report {...all} />}</Loaded>
    </Page>
  )
}
