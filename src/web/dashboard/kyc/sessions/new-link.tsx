/** A new link for an end user who has lost theirs. */
import { useState } from "preact/hooks"
import { Button } from "../../../ui/parts.tsx"
import type { Answer } from "../../common/call.ts"
import { Secret } from "../../common/copy.tsx"
import { Dialog } from "../../common/dialog.tsx"
import { SelectField } from "../../common/fields.tsx"
import { Form, Submit, useFields } from "../../common/form.tsx"
import { Time } from "../../common/time.tsx"

const lives = [
  ["3600", "1 hour"],
  ["86400", "1 day"],
  ["604800", "7 days"],
  ["2592000", "30 days"]
] as const
type Life = (typeof lives)[number][0]

type Link = Answer<"reviews.renewLink">

interface NewLinkProps {
  /** @param expiresInSeconds the new lifetime of the session */
  readonly make: (expiresInSeconds: number) => Promise<Link>
  readonly onClose: () => void
}

export const NewLink = ({ make, onClose }: NewLinkProps) => {
  const { field, values } = useFields<{ readonly expiresInSeconds: Life }>({ expiresInSeconds: "86400" })
  const [made, setMade] = useState<Link>()
  const renew = async () => {
    setMade(await make(Number(values.expiresInSeconds)))
  }
  return (
    <Dialog title="New link" onClose={onClose}>
      {made === undefined ? (
        <Form label="New link" class="" onSubmit={renew}>
          <p>The end user continues where they stopped. Their current link stops working at once.</p>
          <SelectField {...field("expiresInSeconds")} label="The new link works for" choices={lives} />
          <div class="row dialog-actions">
            <Button onClick={onClose}>Close</Button>
            <Submit>Make a new link</Submit>
          </div>
        </Form>
      ) : (
        <>
          <p>
            Send this link to the end user. It works until <Time at={made.session.expires_at} precise />, and
            is shown only once.
          </p>
          <Secret label="Link" text={made.verificationUrl} />
          <div class="row dialog-actions">
            <Button onClick={onClose}>Close</Button>
          </div>
        </>
      )}
    </Dialog>
  )
}
