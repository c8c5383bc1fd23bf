/** The end of a session: how it went, and where its end user goes next, which is shown before it happens. */
import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { Button } from "../../ui/parts.tsx"
import type { Ending as SessionEnding, Status } from "../api.ts"
import { useEmbedder } from "../embedding/embedder.ts"
import { useI18n } from "../i18n/i18n.ts"
import { type PageConfig, webAddress } from "../instances/config.ts"
import { Heading } from "../screens/parts.tsx"

const words = {
  completed: ["doneTitle", "doneText"],
  failed: ["failedTitle", "failedText"],
  cancelled: ["cancelledTitle", "cancelledText"]
} as const

/**
 * Where to go; none for an address that is not http or https, and for our own result page, which says no more than this one.
 * Session and status are added where the partner wants them.
 */
const destination = (
  { redirectUrl, status }: SessionEnding,
  sessionId: string,
  appendStatus: boolean
): URL | undefined => {
  const url = webAddress(redirectUrl) === undefined ? null : URL.parse(redirectUrl)
  if (url === null || url.pathname === `/kyc/session/${sessionId}/done`) return undefined
  if (appendStatus) {
    url.searchParams.set("session", sessionId)
    url.searchParams.set("status", status)
  }
  return url
}

interface EndingProps {
  readonly ending: SessionEnding
  readonly sessionId: string
  readonly redirect: PageConfig["redirect"]
  /**
   * Whether it has ended just now: only then the page may leave by itself, and only for a host that the partner names. In a
   * frame it does not: the page around it is told, and decides.
   */
  readonly fresh: boolean
  /** Whether the session came from another device, on which its end user goes on. */
  readonly handedOver?: boolean
}

export const Ending = ({ ending, fresh, handedOver = false, redirect, sessionId }: EndingProps) => {
  const { t, time } = useI18n()
  const { framed, tell } = useEmbedder()
  const target = destination(ending, sessionId, redirect.appendStatus)
  const leavesAlone =
    fresh && !framed && !handedOver && target !== undefined && redirect.hosts.includes(target.hostname)
  const [left, setLeft] = useState(leavesAlone ? redirect.delay : undefined)
  // Byte for byte what the partner gave, unless something was added to it.
  const address = redirect.appendStatus && target !== undefined ? target.href : ending.redirectUrl
  const leave = () => location.assign(address)

  useEffect(() => {
    tell({ type: ending.status })
    // Once: who comes back to a session that has ended is not sent away again.
    if (fresh && target !== undefined) tell({ type: "redirect", redirectUrl: address })
  }, [])

  useEffect(() => {
    if (left === undefined) return
    if (left <= 0) return leave()
    const timer = setTimeout(() => setLeft(left - 1000), Math.min(1000, left))
    return () => clearTimeout(timer)
  })

  return (
    <Outcome status={ending.status}>
      {handedOver ? <p>{t("handoffBack")}</p> : null}
      {target === undefined && !framed ? <p>{t("closeText")}</p> : null}
      {target === undefined ? null : (
        <>
          {left === undefined ? null : (
            <p>{t("goingTo", { host: target.host, time: time(Math.max(1, left / 1000)) })}</p>
          )}
          <div class="actions">
            {framed ? (
              <a class="button primary" href={address} target="_top" rel="noreferrer">
                {t("goTo", { host: target.host })}
              </a>
            ) : (
              <Button look="primary" onClick={leave}>
                {t("goTo", { host: target.host })}
              </Button>
            )}
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
