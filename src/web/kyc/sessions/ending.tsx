/** The end of a session: the outcome, and where the end user goes next. */
import { useEffect, useState } from "preact/hooks"
import { after, kycTimes } from "../../timing.ts"
import { Button } from "../../ui/parts.tsx"
import type { SessionApi, Ending as SessionEnding } from "../api.ts"
import { useEmbedder } from "../embedding/embedder.ts"
import { useI18n } from "../i18n/i18n.ts"
import { type PageConfig, webAddress } from "../instances/config.ts"
import { Message } from "../screens/parts.tsx"
import { ReceiptOffer } from "./receipt-offer.tsx"

/** Undefined if not http or https, or if doorlock's own result page, which shows nothing more. */
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
  /** Whether the session has just ended: only then may the page redirect without a click. */
  readonly fresh: boolean
  /** Whether the company cancelled the session, and not the end user. */
  readonly calledOff: boolean
  /** Asks for the end user's receipt. */
  readonly receipt: SessionApi["receipt"]
  /** Whether the session came from another device, where the end user continues. */
  readonly handedOver?: boolean
}

export const Ending = ({
  calledOff,
  ending,
  fresh,
  handedOver = false,
  receipt,
  redirect,
  sessionId
}: EndingProps) => {
  const { t, time } = useI18n()
  const { framed, tell } = useEmbedder()
  const { status } = ending
  const words = status === "cancelled" && calledOff ? "calledOff" : status
  const target = destination(ending, sessionId, redirect.appendStatus)
  const leavesAlone =
    fresh && !framed && !handedOver && target !== undefined && redirect.hosts.includes(target.hostname)
  const [left, setLeft] = useState(leavesAlone ? redirect.delay : undefined)
  // The partner's URL byte for byte, unless something is appended.
  const address = redirect.appendStatus && target !== undefined ? target.href : ending.redirectUrl
  const leave = () => location.assign(address)

  useEffect(() => {
    tell({ type: status })
    // Opening an ended session again causes no redirect.
    if (fresh && target !== undefined) tell({ type: "redirect", redirectUrl: address })
  }, [])

  useEffect(() => {
    if (left === undefined) return
    if (left <= 0) return leave()
    const second = kycTimes.countdown
    return after(Math.min(second, left), () => setLeft(left - second)).cancel
  })

  return (
    <Message badge={status} title={t(`${words}Title`)} text={t(`${words}Text`)}>
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
      <ReceiptOffer ask={receipt} sessionId={sessionId} onAsk={() => setLeft(undefined)} />
    </Message>
  )
}

/** The result page in a tab without a token, where the outcome is unknown. */
export const Done = () => {
  const { t } = useI18n()
  return (
    <Message badge="completed" title={t("completedTitle")}>
      {t("closeText")}
    </Message>
  )
}
