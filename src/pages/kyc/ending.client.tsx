/** The end of a session: how it went, and where its end user goes next, which is shown before it happens. */
import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import type { Ending as SessionEnding, Status } from "./api.client.ts"
import { webAddress } from "./config.client.ts"
import { useI18n } from "./i18n.client.ts"
import { Button, Heading } from "./ui.client.tsx"

const words = {
  completed: ["doneTitle", "doneText"],
  failed: ["failedTitle", "failedText"],
  cancelled: ["cancelledTitle", "cancelledText"]
} as const

/** Where to go; none for an address that is not http or https, and for our own result page, which says no more than this. */
const destination = (address: string, sessionId: string): URL | undefined => {
  const url = webAddress(address) === undefined ? null : URL.parse(address)
  return url === null || url.pathname === `/kyc/session/${sessionId}/done` ? undefined : url
}

interface EndingProps {
  readonly ending: SessionEnding
  readonly sessionId: string
  /** Milliseconds before the page leaves by itself; undefined when it waits to be told. */
  readonly delay: number | undefined
}

export const Ending = ({ delay, ending, sessionId }: EndingProps) => {
  const { t, time } = useI18n()
  const target = destination(ending.redirectUrl, sessionId)
  const [left, setLeft] = useState(delay)
  const leave = () => location.assign(ending.redirectUrl)

  useEffect(() => {
    if (target === undefined || left === undefined) return
    if (left <= 0) return leave()
    const timer = setTimeout(() => setLeft(left - 1000), Math.min(1000, left))
    return () => clearTimeout(timer)
  })

  return (
    <Outcome status={ending.status}>
      {target === undefined ? (
        <p>{t("closeText")}</p>
      ) : (
        <>
          {left === undefined ? null : <p>{t("goingTo", { host: target.host, time: time(left / 1000) })}</p>}
          <div class="actions">
            <Button look="primary" onClick={leave}>
              {t("goTo", { host: target.host })}
            </Button>
            {left === undefined ? null : <Button onClick={() => setLeft(undefined)}>{t("stay")}</Button>}
          </div>
        </>
      )}
    </Outcome>
  )
}

interface OutcomeProps {
  /** Undefined where it is not known how the session ended: then only that it has. */
  readonly status: Status | undefined
  readonly children?: ComponentChildren
}

/** How a session ended, in words. */
export const Outcome = ({ children, status }: OutcomeProps) => {
  const { t } = useI18n()
  const [title, sentence] = words[status ?? "completed"]
  return (
    <section class="outcome">
      <span class={`badge ${status ?? "completed"}`} aria-hidden="true" />
      <Heading>{t(title)}</Heading>
      {status === undefined ? null : <p class="intro">{t(sentence)}</p>}
      {children}
    </section>
  )
}
