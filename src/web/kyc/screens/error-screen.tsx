/** Screens for errors that prevent showing a session: each says what is wrong and what to do. */
import { useEffect } from "preact/hooks"
import { Button } from "../../ui/parts.tsx"
import { useEmbedder } from "../embedding/embedder.ts"
import type { PageEvent } from "../embedding/events.ts"
import { type MessageKey, useI18n } from "../i18n/i18n.ts"
import type { Failure } from "../request.ts"
import { useRetryWhenOnline, wordsFor } from "./failure-alert.tsx"
import { Heading } from "./parts.tsx"

/** Errors that a retry does not solve. */
export type FinalError = "open" | "unknown" | "expired" | "update"

const words: Readonly<Record<FinalError, readonly [MessageKey, MessageKey]>> = {
  open: ["openTitle", "openText"],
  unknown: ["unknownTitle", "unknownText"],
  expired: ["expiredTitle", "expiredText"],
  update: ["updateTitle", "updateText"]
}

const events: Readonly<Record<FinalError, PageEvent>> = {
  open: { type: "error", code: "TOKEN_MISSING" },
  unknown: { type: "error", code: "SESSION_NOT_FOUND" },
  expired: { type: "expired" },
  update: { type: "error", code: "UNSUPPORTED_STEP" }
}

export const ErrorScreen = ({ kind }: { readonly kind: FinalError }) => {
  const { t } = useI18n()
  const { tell } = useEmbedder()
  useEffect(() => tell(events[kind]), [kind])
  const [title, sentence] = words[kind]
  return (
    <section class="outcome">
      <span class={`badge ${kind === "expired" ? "expired" : "problem"}`} aria-hidden="true" />
      <Heading>{t(title)}</Heading>
      <p class="intro">{t(sentence)}</p>
      {kind === "update" ? (
        <div class="actions">
          <Button look="primary" onClick={() => location.reload()}>
            {t("retry")}
          </Button>
        </div>
      ) : null}
    </section>
  )
}

interface UnreachableProps {
  readonly failure: Failure
  readonly onRetry: () => void
}

/** The session could not be loaded; a retry may succeed. */
export const Unreachable = ({ failure, onRetry }: UnreachableProps) => {
  const i18n = useI18n()
  const { tell } = useEmbedder()
  const [title, sentence] = wordsFor(failure, i18n)
  useEffect(() => tell({ type: "error", code: "UNREACHABLE" }), [])
  useRetryWhenOnline(failure.kind === "offline", onRetry)
  return (
    <section class="outcome">
      <span class="badge problem" aria-hidden="true" />
      <Heading>{title}</Heading>
      <p class="intro">{sentence}</p>
      <div class="actions">
        <Button look="primary" onClick={onRetry}>
          {i18n.t("retry")}
        </Button>
      </div>
    </section>
  )
}
