import { useEffect } from "preact/hooks"
import { every, kycTimes } from "../../timing.ts"
import { Alert, Button } from "../../ui/parts.tsx"
import { type I18n, useI18n } from "../i18n/i18n.ts"
import type { StepFailure } from "../sessions/flow-state.ts"

export const wordsFor = (failure: StepFailure, { t, time }: I18n) => {
  switch (failure.kind) {
    case "offline":
    case "server":
      return { title: t(`${failure.kind}Title`), text: t(`${failure.kind}Text`) }
    case "busy": {
      const { seconds } = failure
      const text = seconds === undefined ? t("busyText") : t("busySeconds", { time: time(seconds) })
      return { title: t("busyTitle"), text }
    }
    case "captcha":
      return { title: t("notSaved"), text: t("captchaFailed") }
    default:
      return { title: t("refusedTitle"), text: t("refusedText") }
  }
}

/** The timer is for outages that the browser does not notice. The message stays during an attempt, so that nothing moves or loses the focus. */
export const useRetryWhenOnline = (waiting: boolean, retry: () => void): void => {
  useEffect(() => {
    if (!waiting) return
    addEventListener("online", retry)
    const timer = every(kycTimes.retry, () => {
      if (navigator.onLine) retry()
    })
    return () => {
      removeEventListener("online", retry)
      timer.cancel()
    }
  }, [waiting, retry])
}

interface FailureAlertProps {
  readonly failure: StepFailure
  /** Whether an attempt is under way. */
  readonly busy: boolean
  readonly onRetry: () => void
}

export const FailureAlert = ({ busy, failure, onRetry }: FailureAlertProps) => {
  const i18n = useI18n()
  const { text, title } = wordsFor(failure, i18n)
  useRetryWhenOnline(failure.kind === "offline" && !busy, onRetry)
  return (
    <Alert title={title}>
      <p>
        {text} {i18n.t("kept")}
      </p>
      <Button busy={busy} onClick={onRetry}>
        {i18n.t("retry")}
      </Button>
    </Alert>
  )
}
