import { useLayoutEffect, useRef } from "preact/hooks"
import { Alert, Button } from "../../ui/parts.tsx"
import { useInSight } from "../embedding/embedder.ts"
import { useI18n } from "../i18n/i18n.ts"
import type { Failure } from "../request.ts"
import { useRetryWhenOnline, wordsFor } from "../screens/failure-alert.tsx"
import { useFlow } from "../screens/parts.tsx"
import { flawOf, type Picture } from "./image.ts"

export type FileRejection = "fileUnreadable" | "fileType" | "fileTooLarge" | "filesExhausted"

/** Why the server refuses a file, if sending it again would not help. */
export const rejections: Readonly<Partial<Record<Failure["kind"], FileRejection>>> = {
  tooLarge: "fileTooLarge",
  wrongType: "fileType",
  exhausted: "filesExhausted"
}

interface NotSentProps {
  readonly failure: Failure
  /** Whether it is being sent again. */
  readonly busy: boolean
  readonly onRetry: () => void
  readonly onOther: () => void
}

export const NotSent = ({ busy, failure, onOther, onRetry }: NotSentProps) => {
  const i18n = useI18n()
  const { t } = i18n
  useRetryWhenOnline(failure.kind === "offline" && !busy, onRetry)
  return (
    <Alert title={t("fileFailed")}>
      <p>{wordsFor(failure, i18n).text}</p>
      <div class="row">
        <Button busy={busy} onClick={onRetry}>
          {t("retry")}
        </Button>
        <Button {...(busy ? {} : { onClick: onOther })}>{t("retake")}</Button>
      </div>
    </Alert>
  )
}

export const Rejected = ({ rejection }: { readonly rejection: FileRejection }) => {
  const { locale, t } = useI18n()
  const { maxBytes, mime } = useFlow().session.config.capture
  const size = new Intl.NumberFormat(locale, { style: "unit", unit: "megabyte", maximumFractionDigits: 1 })
  const types = mime.map((type) => type.replace(/^.*\//, "").toUpperCase()).join(", ")
  return <Alert>{t(rejection, { size: size.format(maxBytes / 1_048_576), types })}</Alert>
}

interface PreviewProps {
  readonly url: string | undefined
  readonly picture: Picture
  readonly onUse: () => void
  readonly onRetake: () => void
}

export const Preview = ({ onRetake, onUse, picture, url }: PreviewProps) => {
  const { t } = useI18n()
  const flaw = flawOf(picture, useFlow().session.config.capture.minEdge)
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => box.current?.focus({ preventScroll: true }), [])
  useInSight(box)
  return (
    <div class="shot preview" tabIndex={-1} ref={box}>
      <img src={url} alt={t("preview")} width={picture.width} height={picture.height} />
      {flaw === undefined ? null : <Alert tone="warning">{t(flaw)}</Alert>}
      <div class="row">
        <Button look="primary" onClick={onUse}>
          {t("usePhoto")}
        </Button>
        <Button onClick={onRetake}>{t("otherFile")}</Button>
      </div>
    </div>
  )
}
