/** Screens for errors that prevent showing a session. */
import { useEffect } from "preact/hooks"
import { useBusy } from "../../ui/busy.ts"
import { Button } from "../../ui/parts.tsx"
import { useEmbedder } from "../embedding/embedder.ts"
import type { EmbedReport } from "../embedding/events.ts"
import { useI18n } from "../i18n/i18n.ts"
import type { Failure } from "../request.ts"
import { useRetryWhenOnline, wordsFor } from "./failure-alert.tsx"
import { Message } from "./parts.tsx"

/** Errors that a retry does not solve, and the event that each one sends. */
const events = {
  open: { type: "error", code: "TOKEN_MISSING" },
  unknown: { type: "error", code: "SESSION_NOT_FOUND" },
  expired: { type: "expired" },
  update: { type: "error", code: "UNSUPPORTED_STEP" }
} satisfies Readonly<Record<string, EmbedReport>>
export type FinalError = keyof typeof events

export const ErrorScreen = ({ kind }: { readonly kind: FinalError }) => {
  const { t } = useI18n()
  const { tell } = useEmbedder()
  useEffect(() => tell(events[kind]), [kind])
  return (
    <Message
      badge={kind === "expired" ? "expired" : "problem"}
      title={t(`${kind}Title`)}
      text={t(`${kind}Text`)}
    >
      {kind === "update" ? (
        <div class="actions">
          <Button look="primary" onClick={() => location.reload()}>
            {t("retry")}
          </Button>
        </div>
      ) : null}
    </Message>
  )
}

interface FailureScreenProps {
  readonly failure: Failure
  readonly onRetry: () => Promise<unknown>
}

/** Offers to try again if that may help. */
export const FailureScreen = ({ failure, onRetry }: FailureScreenProps) =>
  failure.kind === "unknown" || failure.kind === "expired" ? (
    <ErrorScreen kind={failure.kind} />
  ) : (
    <Unreachable failure={failure} onRetry={onRetry} />
  )

const Unreachable = ({ failure, onRetry }: FailureScreenProps) => {
  const i18n = useI18n()
  const { tell } = useEmbedder()
  const { busy, run } = useBusy()
  const retry = () => void run(onRetry)
  useEffect(() => tell({ type: "error", code: "UNREACHABLE" }), [])
  useRetryWhenOnline(failure.kind === "offline" && !busy, retry)
  return (
    <Message badge="problem" {...wordsFor(failure, i18n)}>
      <div class="actions">
        <Button look="primary" busy={busy} onClick={retry}>
          {i18n.t("retry")}
        </Button>
      </div>
    </Message>
  )
}
