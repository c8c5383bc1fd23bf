import { useIsReviewer } from "../../common/account.ts"
import { Snippet } from "../../common/copy.tsx"
import { Disclosure } from "../../common/disclosure.tsx"
import { pretty } from "../../common/json/json-text.ts"
import { Section } from "../../common/parts.tsx"
import type { SessionRead } from "./session-steps.ts"

/** What is stored of a session, as JSON. Each part is folded up. Reviewers see no settings, so neither those of the session. */
export const RawSession = ({ session }: { readonly session: SessionRead }) => {
  const isReviewer = useIsReviewer()
  const settings = [
    ["Config", session.instance_config],
    ["Workflow", session.instance_workflow]
  ] as const
  const parts = [
    ["Result", session.result],
    ["Progress", session.progress],
    ["Metadata", session.metadata],
    ["Assurance", session.assurance],
    ...(isReviewer ? [] : settings)
  ] as const
  return (
    <Section
      title="Raw data"
      intro={`Result and progress are what the end user's browser sent.${
        isReviewer ? "" : " Config and workflow are as they were when the session was created."
      }`}
    >
      {parts.map(([label, value]) => (
        <Disclosure key={label} class="raw" summary={`${label} as JSON`}>
          {() => <Snippet label={label} text={pretty(value).trimEnd()} />}
        </Disclosure>
      ))}
    </Section>
  )
}
