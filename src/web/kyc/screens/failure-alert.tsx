/** Explains what failed, why, and what can be done about it. */

import { useEffect } from "preact/hooks"
import { Alert, Button } from "../../ui/parts.tsx"
import { type I18n, useI18n } from "../i18n/i18n.ts"
import { waitOf } from "../request.ts"
import type { StepFailure } from "../sessions/flow.ts"

/** The title and text for a failure. */
export const wordsFor = (
  failure: StepFailure,
  { t, time }: I18n
): readonly [title: string, sentence: string] => {
  switch (failure.kind) {
    case "offline":
      return [t("offlineTitle"), t("offlineText")]
    case "busy": {
      const seconds = waitOf(failure)
      return [
        t("busyTitle"),
        seconds === undefined ? t("busyText") : t("busySeconds", { time: time(seconds) })
      ]
    }
    case "server":
      return [t("serverTitle"), t("serverText")]
    case "captcha":
      return [t("notSaved"), t("captchaFailed")]
    default:
      return [t("refusedTitle"), t("refusedText")]
  }
}

/** The interval between retries in milliseconds while the browser reports a connection. */
const retryMillis = 5000

/** Retries on its own once the connection is back; a browser does not notice every outage. */
export const useRetryWhenOnline = (waiting: boolean, retry: () => void): void => {
  useEffect(() => {
    if (!waiting) return
    addEventListener("online", retry)
    const timer = setInterval(() => {
      if (navigator.onLine) retry()
    }, retryMillis)
    return () => {
      removeEventListener("online", retry)
      clearInterval(timer)
    }
  }, [waiting, retry])
}

interface FailureAlertProps {
  readonly failure: StepFailure
  readonly onRetry: () => void
}

export const FailureAlert = ({ onRetry, failure }: FailureAlertProps) => {
  const i18n = useI18n()
  const [title, sentence] = wordsFor(failure, i18n)
  useRetryWhenOnline(failure.kind === "offline", onRetry)
  return (
    <Alert title={title}>
      <p>
        {sentence} {i18n.t("kept")}
      </p>
      <Button onClick={onRetry}>{i18n.t("retry")}</Button>
    </Alert>
  )
}
