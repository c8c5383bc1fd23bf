import { useState } from "preact/hooks"
import { Button } from "../../../ui/parts.tsx"
import { useAction } from "../../common/action.tsx"
import { type Answer, ApiFailure, doorlock, failureOf } from "../../common/call.ts"
import { Copy } from "../../common/copy.tsx"
import { Dialog } from "../../common/dialog.tsx"
import { Link } from "../../common/router.tsx"

type Created = Answer<"instances.createTestSession">

interface MadeProps {
  readonly created: Created
  readonly onClose: () => void
}

const Made = ({ created: { session, verificationUrl }, onClose }: MadeProps) => (
  <Dialog title="Your test session" onClose={onClose}>
    <p>
      The session opens in another tab and lasts an hour. The document numbers TEST-OK, TEST-DUP and TEST-FAIL
      force an outcome.
    </p>
    <p class="test-link">
      <a class="button primary" href={verificationUrl} target="_blank" rel="noopener noreferrer">
        Open the session
      </a>
      <Copy text={verificationUrl} what="link" />
    </p>
    <p>
      <Link to={`/dashboard/sessions/${session.id}`}>See its progress</Link>
    </p>
    <div class="row dialog-actions">
      <Button onClick={onClose}>Close</Button>
    </div>
  </Dialog>
)

export const TestSession = ({ instanceId }: { readonly instanceId: string }) => {
  const { busy, problem, run } = useAction()
  const [created, setCreated] = useState<Created>()
  const create = async () => {
    const made = await doorlock.instances.createTestSession(instanceId).catch((cause) => {
      const failure = failureOf(cause)
      throw failure.status === 400
        ? new ApiFailure(400, "KYC_DEV_MODE does not allow test sessions. Create a session with an API key.")
        : failure
    })
    setCreated(made)
    // If the browser blocks the pop-up, the dialog still has the link.
    open(made.verificationUrl, "_blank", "noopener,noreferrer")
  }
  return (
    <>
      <Button busy={busy} onClick={() => void run(create)}>
        Create test session
      </Button>
      {problem}
      {created === undefined ? null : <Made created={created} onClose={() => setCreated(undefined)} />}
    </>
  )
}
