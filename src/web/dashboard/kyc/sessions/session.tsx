import { isObject } from "../../../json.ts"
import { Button } from "../../../ui/parts.tsx"
import { call } from "../../common/call.ts"
import type { Answer } from "../../common/contract.ts"
import { Snippet } from "../../common/copy.tsx"
import { pretty } from "../../common/json/json-text.ts"
import type { PageProps } from "../../common/page.ts"
import { Badge, Facts, formatCount, Page, Section, type Tone } from "../../common/parts.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"
import { Link } from "../../common/router.tsx"
import { Time } from "../../common/time.tsx"
import { ResourceEvents } from "../../events/resource-events.tsx"
import { instancePath } from "../instances/instances.tsx"
import { SessionActions } from "./session-actions.tsx"
import { SessionFiles } from "./session-files.tsx"
import { SessionState } from "./sessions.tsx"
import { Timeline } from "./timeline.tsx"
import { mentions, Values } from "./values.tsx"

type Session = Answer<"kyc-partner-sessions.get">["session"]

const load = async (id: string, signal: AbortSignal) => {
  const [{ session }, { events }, { files }] = await Promise.all([
    call("kyc-partner-sessions.get", { path: { id }, signal }),
    call("kyc-timeline.get", { path: { id }, signal }),
    call("kyc-partner-files.list", { path: { id }, signal })
  ])
  const { instance } = await call("kyc-instances.get", { path: { id: session.instance_id }, signal })
  return { session, events, files, instanceName: instance.name }
}

const lengthOf = (millis: number): string => {
  const seconds = Math.round(millis / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${formatCount(Math.floor(minutes / 60))} h ${minutes % 60} min`
}

const finding = (tone: Tone, word: string, detail = "") => (
  <>
    <Badge tone={tone}>{word}</Badge> {detail}
  </>
)

const Assurance = ({ session: { assurance } }: { readonly session: Session }) => {
  const { captcha, dedup, durationMs, missingSteps, requiredStepsPresent } = assurance
  return (
    <Facts
      of={[
        [
          "Captcha",
          captcha.verified
            ? finding("good", "Passed", captcha.score === null ? "" : `Score ${captcha.score}`)
            : finding("warning", "Not passed")
        ],
        [
          "Earlier sessions",
          dedup.seenCount === 0
            ? finding("neutral", "Not looked for")
            : dedup.matchFound
              ? finding("problem", "Found", `${formatCount(dedup.seenCount)} sessions, including this one`)
              : finding("good", "None")
        ],
        [
          "Required steps",
          requiredStepsPresent
            ? finding("good", "All answered")
            : finding("warning", "Missing", missingSteps.join(", "))
        ],
        ["Time taken", durationMs === null ? <span class="faint">Not finished</span> : lengthOf(durationMs)]
      ]}
    />
  )
}

interface RawProps {
  readonly label: string
  readonly value: unknown
  readonly summary?: string
}

const Raw = ({ label, summary = "As JSON", value }: RawProps) => (
  <details class="raw">
    <summary>{summary}</summary>
    <Snippet label={label} text={pretty(value).trimEnd()} />
  </details>
)

const isEmpty = (value: unknown): boolean =>
  value === null || (isObject(value) && Object.keys(value).length === 0)

interface JsonProps extends RawProps {
  /** The text if there is nothing in it. */
  readonly none: string
}

const Json = ({ label, none, value }: JsonProps) =>
  isEmpty(value) ? (
    <p class="faint">{none}</p>
  ) : (
    <>
      <Values of={value} />
      <Raw label={label} value={value} />
    </>
  )

/** The hosted page's result, most important field first. Postgres does not keep the order. */
const weight = [
  "outcome",
  "failureCode",
  "person",
  "forms",
  "document",
  "documents",
  "selfie",
  "uploads",
  "consents",
  "dedup",
  "workflow",
  "locale",
  "client",
  "v"
]

const inOrder = (result: unknown): unknown => {
  if (!isObject(result)) return result
  const known = weight.filter((key) => Object.hasOwn(result, key))
  const others = Object.keys(result).filter((key) => !weight.includes(key))
  return Object.fromEntries([...others, ...known].map((key) => [key, result[key]]))
}

interface SessionProps extends Awaited<ReturnType<typeof load>> {
  readonly onEvent: () => void
}

const SessionShown = ({ events, files, instanceName, onEvent, session }: SessionProps) => (
  <div class="session">
    <div>
      <Section title="About">
        <Facts
          of={[
            ["Status", <SessionState key="status" session={session} />],
            ["External reference", session.external_reference ?? <span class="faint">None</span>],
            [
              "Instance",
              <Link key="instance" to={instancePath(session.instance_id)}>
                {instanceName}
              </Link>
            ],
            ["Id", <code key="id">{session.id}</code>],
            ["Created", <Time key="created" at={session.created_at} precise />],
            ["Started", <Time key="started" at={session.started_at} never="Not yet" precise />],
            ["Finished", <Time key="finished" at={session.completed_at} never="Not yet" precise />],
            ["Link works until", <Time key="expires" at={session.expires_at} precise />],
            ["Data destroyed", <Time key="redacted" at={session.redacted_at} never="No" precise />]
          ]}
        />
      </Section>
      <Section title="Assurance" intro="What doorlock itself knows. No browser can change it.">
        <Assurance session={session} />
      </Section>
      <Section
        title="Result"
        intro="What the end user's browser sent at the end. doorlock has not verified it."
      >
        <Json
          label="Result"
          value={inOrder(session.result)}
          none={session.completed_at === null ? "Not finished yet." : "None."}
        />
      </Section>
      {isEmpty(session.result) && !isEmpty(session.progress) ? (
        <Section title="Answers so far">
          <Json label="Progress" value={session.progress} none="None." />
        </Section>
      ) : null}
      <Section title="Files">
        <SessionFiles
          sessionId={session.id}
          files={files}
          mentioned={new Map([...mentions(session.progress), ...mentions(session.result)])}
        />
      </Section>
      <Section title="Metadata" intro="What your server sent when it created the session.">
        <Json label="Metadata" value={session.metadata} none="None." />
      </Section>
      <Section
        title="Created with"
        intro="Config and workflow as they were then. Editing the instance does not change them."
      >
        <Raw label="Config" summary="Config" value={session.instance_config} />
        <Raw label="Workflow" summary="Workflow" value={session.instance_workflow} />
      </Section>
    </div>
    <div>
      <Section title="Timeline">
        <Timeline events={events} />
      </Section>
      <Section title="Events" intro="What your servers are told, in the feed and by webhooks.">
        <ResourceEvents id={session.id} onNew={onEvent} />
      </Section>
    </div>
  </div>
)

export const SessionPage = ({ parameters: { id = "" } }: PageProps) => {
  const known = useResource((signal) => load(id, signal), [id])
  return (
    <Page
      title={known.value?.session.external_reference || "Session"}
      parent={{ to: "/dashboard/sessions", label: "Sessions" }}
      actions={
        <>
          {known.value === undefined ? null : (
            <SessionActions session={known.value.session} onChange={known.refresh} />
          )}
          <Button onClick={() => void known.reload()}>Refresh</Button>
        </>
      }
    >
      <Loaded of={known}>{(all) => <SessionShown {...all} onEvent={() => void known.refresh()} />}</Loaded>
    </Page>
  )
}
