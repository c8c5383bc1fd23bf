/** What users who may write do with a session. */
import { useState } from "preact/hooks"
import { Button } from "../../../ui/parts.tsx"
import { useIsOwner, useMayWrite } from "../../common/account.ts"
import { type Answer, doorlock, links } from "../../common/call.ts"
import { ConfirmButton } from "../../common/dialog.tsx"
import { NewLink } from "./new-link.tsx"

type Session = Answer<"sessions.get">["session"]

interface SessionActionsProps {
  readonly session: Session
  readonly onChange: () => Promise<unknown>
}

/** What an owner is told before the data of one or more sessions is destroyed. */
export const DestroyWarning = () => (
  <>
    <p>
      This destroys everything that is stored about the person: answers, photos and files, results, metadata
      and notes. Nobody can restore it.
    </p>
    <p>
      What stays: when the session took place, how it ended, what was decided, and its external reference. A
      session that has not ended is cancelled.
    </p>
  </>
)

/** Nothing for users who may not write. Of a session without data, nothing is left to do. */
export const SessionActions = ({ onChange, session: { id, redacted_at, status } }: SessionActionsProps) => {
  const mayWrite = useMayWrite()
  const isOwner = useIsOwner()
  const [linking, setLinking] = useState(false)
  if (!mayWrite || redacted_at !== null) return null
  const unfinished = status === "created" || status === "running"
  const resume = async (expiresInSeconds: number) => {
    const resumed = await doorlock.sessions.resume(id, { expiresInSeconds })
    await onChange()
    return resumed
  }
  const cancel = async () => {
    await doorlock.sessions.cancel(id)
    await onChange()
  }
  const destroy = async () => {
    await doorlock.sessions.redact(id)
    await onChange()
  }
  return (
    <>
      <a
        class="button"
        href={links.export(id)}
        title="Everything that is stored about the person, as a ZIP"
        download
      >
        Export
      </a>
      {unfinished ? (
        <>
          <Button onClick={() => setLinking(true)}>New link</Button>
          <ConfirmButton
            label="Cancel session"
            title="Cancel this session?"
            act="Cancel session"
            onConfirm={cancel}
          >
            <p>
              The end user cannot continue. Their page says that the verification was cancelled. This cannot
              be undone.
            </p>
          </ConfirmButton>
        </>
      ) : null}
      {isOwner ? (
        <ConfirmButton
          label="Destroy data"
          title="Destroy the data of this session?"
          act="Destroy data"
          onConfirm={destroy}
        >
          <DestroyWarning />
        </ConfirmButton>
      ) : null}
      {linking ? <NewLink make={resume} onClose={() => setLinking(false)} /> : null}
    </>
  )
}
