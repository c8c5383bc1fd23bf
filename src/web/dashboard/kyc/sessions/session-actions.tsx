/** What users who may write do with a session. */
import { useState } from "preact/hooks"
import { Button } from "../../../ui/parts.tsx"
import { useIsOwner, useMayWrite } from "../../common/account.ts"
import { addressOf, call } from "../../common/call.ts"
import type { Answer } from "../../common/contract.ts"
import { Secret } from "../../common/copy.tsx"
import { ConfirmButton, Dialog } from "../../common/dialog.tsx"
import { SelectField } from "../../common/fields.tsx"
import { Form, Submit, useFields } from "../../common/form.tsx"
import { Time } from "../../common/time.tsx"

type Session = Answer<"kyc-partner-sessions.get">["session"]

const lives = [
  ["3600", "1 hour"],
  ["86400", "1 day"],
  ["604800", "7 days"],
  ["2592000", "30 days"]
] as const
type Life = (typeof lives)[number][0]

interface NewLinkProps {
  readonly id: string
  readonly onClose: () => void
  readonly onChange: () => Promise<unknown>
}

const NewLink = ({ id, onChange, onClose }: NewLinkProps) => {
  const { field, values } = useFields<{ readonly expiresInSeconds: Life }>({ expiresInSeconds: "86400" })
  const [resumed, setResumed] = useState<Answer<"kyc-session-lifecycle.resume">>()
  const resume = async () => {
    const body = { expiresInSeconds: Number(values.expiresInSeconds) }
    setResumed(await call("kyc-session-lifecycle.resume", { path: { id }, body }))
    await onChange()
  }
  return (
    <Dialog title="New link" onClose={onClose}>
      {resumed === undefined ? (
        <Form label="New link" class="" onSubmit={resume}>
          <p>The end user continues where they stopped. The link that they have now stops working at once.</p>
          <SelectField {...field("expiresInSeconds")} label="The new link works for" choices={lives} />
          <div class="row dialog-actions">
            <Button onClick={onClose}>Close</Button>
            <Submit>Make a new link</Submit>
          </div>
        </Form>
      ) : (
        <>
          <p>
            Send it to the end user. It works until <Time at={resumed.session.expires_at} precise />, and is
            shown only now.
          </p>
          <Secret label="Link" text={resumed.verificationUrl} />
          <div class="row dialog-actions">
            <Button onClick={onClose}>Close</Button>
          </div>
        </>
      )}
    </Dialog>
  )
}

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
  const cancel = async () => {
    await call("kyc-session-lifecycle.cancel", { path: { id } })
    await onChange()
  }
  const destroy = async () => {
    await call("kyc-redaction.redact", { path: { id } })
    await onChange()
  }
  return (
    <>
      <a
        class="button"
        href={addressOf("kyc-session-export.read", { path: { id } })}
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
      {linking ? <NewLink id={id} onChange={onChange} onClose={() => setLinking(false)} /> : null}
    </>
  )
}
