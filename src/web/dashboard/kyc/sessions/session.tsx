import { Button } from "../../../ui/parts.tsx"
import { call } from "../../common/call.ts"
import { Disclosure } from "../../common/disclosure.tsx"
import type { PageProps } from "../../common/page.ts"
import { Facts, Page, Section } from "../../common/parts.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"
import { Link } from "../../common/router.tsx"
import { Time } from "../../common/time.tsx"
import { ResourceEvents } from "../../events/resource-events.tsx"
import { titlesOf } from "../evidence/answers.ts"
import { checksOf } from "../evidence/checks.ts"
import { Answers, Checks, loadEvidence, Matches, Photos } from "../evidence/evidence.tsx"
import { RawSession } from "../evidence/raw.tsx"
import { instancePath } from "../instances/instances.tsx"
import { SessionState } from "./session-state.tsx"
import { Timeline } from "./timeline.tsx"
import { Values } from "./values.tsx"

const load = async (id: string, signal: AbortSignal) => {
  const evidence = await loadEvidence(id, signal)
  const { instance } = await call("kyc-instances.get", {
    path: { id: evidence.session.instance_id },
    signal
  })
  return { ...evidence, instanceName: instance.name }
}

interface SessionProps extends Awaited<ReturnType<typeof load>> {
  readonly onEvent: () => void
}

const SessionShown = ({ events, instanceName, matches, onEvent, photos, session, steps }: SessionProps) => (
  <>
    <div class="case">
      <div class="case-photos">
        <Photos sessionId={session.id} photos={photos} atOnce={false} />
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
            <Matches matches={matches} />
          </Section>
        </div>
        <Section title="About">
          <Facts
            of={[
              ["Status", <SessionState key="status" session={session} />],
              [
                "Instance",
                <Link key="instance" to={instancePath(session.instance_id)}>
                  {instanceName}
                </Link>
              ],
              ["Created", <Time key="created" at={session.created_at} precise />],
              ["Finished", <Time key="finished" at={session.completed_at} never="Not yet" precise />],
              ["Link works until", <Time key="expires" at={session.expires_at} precise />],
              ["Id", <code key="id">{session.id}</code>]
            ]}
          />
        </Section>
        <Section title="Timeline">
          <Timeline events={events} titles={titlesOf(session)} />
        </Section>
      </div>
    </div>
    {session.metadata === null ? null : (
      <Section title="Metadata" intro="What your server sent when it created the session.">
        <Values of={session.metadata} />
      </Section>
    )}
    <Section title="Events" intro="What your servers are told, in the feed and by webhooks.">
      <Disclosure summary="Show the events">
        {() => <ResourceEvents id={session.id} onNew={onEvent} />}
      </Disclosure>
    </Section>
    <RawSession session={session} />
  </>
)

export const SessionPage = ({ parameters: { id = "" } }: PageProps) => {
  const known = useResource((signal) => load(id, signal), [id])
  return (
    <Page
      title={known.value?.session.external_reference || "Session"}
      parent={{ to: "/dashboard/sessions", label: "Sessions" }}
      actions={<Button onClick={() => void known.reload()}>Refresh</Button>}
    >
      <Loaded of={known}>{(all) => <SessionShown {...all} onEvent={() => void known.refresh()} />}</Loaded>
    </Page>
  )
}
