/** Checks a submitted step for an earlier session of the same document or person. */
import { useState } from "preact/hooks"
import type { Identity } from "../../../kyc/dedup/identity-model.ts"
import type { Json } from "../../json.ts"
import { Alert, Button } from "../../ui/parts.tsx"
import { useStore } from "../../ui/store.ts"
import { useI18n } from "../i18n/i18n.ts"
import type { Step } from "../instances/workflow.ts"
import { FailureAlert } from "../screens/failure-alert.tsx"
import { useFlow } from "../screens/parts.tsx"
import type { StepFailure } from "../sessions/flow-state.ts"
import { lookForDuplicate } from "./duplicate.ts"

export interface Found {
  readonly keyHash: string
  /** `matchFound` is null if unknown. */
  readonly dedup: { readonly matchFound: boolean | null; readonly action: string }
}

export const useDuplicateCheck = (step: Step) => {
  const flow = useFlow()
  const { drafts } = useStore(flow.store)
  const { onMatch } = flow.session.config.dedup
  const [checking, setChecking] = useState(false)
  const [failure, setFailure] = useState<StepFailure>()
  /** An answer that waits for the end user's decision, and the draft it was made from. */
  const [match, setMatch] = useState<{ readonly answer: Json; readonly draft: Json | undefined }>()
  const draftNow = () => flow.store.get().drafts[step.id]

  const submit = async (identity: Identity, answer: (found: Found) => Json): Promise<void> => {
    const draft = draftNow()
    setChecking(true)
    setMatch(undefined)
    const found = await lookForDuplicate(flow.session, flow.api, identity)
    setChecking(false)
    if (!found.ok) {
      if (!flow.takeFailure(found.failure)) setFailure(found.failure)
      return
    }
    setFailure(undefined)
    // The input has changed during the check.
    if (draftNow() !== draft) return
    const { keyHash, matchFound } = found.value
    const withAction = (action: string) => answer({ keyHash, dedup: { matchFound, action } })
    if (matchFound === false || onMatch === "silent") return flow.submit(step, withAction("none"))
    if (matchFound === true && onMatch === "warn") return setMatch({ answer: withAction("warned"), draft })
    if (matchFound === true && onMatch === "block") {
      return flow.submit(step, withAction("blocked"), "DUPLICATE_IDENTITY")
    }
    return flow.submit(step, withAction("review"))
  }

  return {
    submit,
    checking,
    failure,
    /** Only while the input has not changed. */
    match: match !== undefined && match.draft === drafts[step.id] ? match.answer : undefined,
    dismiss: () => setMatch(undefined)
  }
}

interface DuplicateNoticeProps {
  readonly check: ReturnType<typeof useDuplicateCheck>
  readonly kind: Identity["kind"]
  readonly onRetry: () => void
  /** The id of the control to check again. */
  readonly controlId: string
}

export const DuplicateNotice = ({ check, controlId, kind, onRetry }: DuplicateNoticeProps) => {
  const { t } = useI18n()
  const flow = useFlow()
  const { current, saving } = useStore(flow.store)
  const { checking, failure, match } = check
  if (failure !== undefined) return <FailureAlert failure={failure} busy={checking} onRetry={onRetry} />
  if (match === undefined) return null
  return (
    <Alert tone="warning" title={t(`duplicate.${kind}.title`)}>
      <p>{t(`duplicate.${kind}.text`)}</p>
      <div class="row">
        <Button busy={saving} onClick={() => flow.submit(current, match)}>
          {t(`duplicate.${kind}.goOn`)}
        </Button>
        <Button
          onClick={() => {
            check.dismiss()
            document.getElementById(controlId)?.focus()
          }}
        >
          {t(`duplicate.${kind}.check`)}
        </Button>
      </div>
    </Alert>
  )
}
