/** A handoff on the first device: a QR code to scan, and a code to enter on the other one. */
import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { Button } from "../../ui/parts.tsx"
import type { Followed, Made } from "../api.ts"
import { useI18n } from "../i18n/i18n.ts"
import { wordsFor } from "../screens/failure-alert.tsx"
import { Loading, Message, useFlow, Waiting } from "../screens/parts.tsx"
import { told } from "../screens/surroundings.ts"
import { useHandoff } from "./following.ts"
import type { QrCode } from "./qr.ts"

export const Handoff = () => {
  const i18n = useI18n()
  const { t } = i18n
  const flow = useFlow()
  const { cancel, renew, state } = useHandoff(flow)

  const stay = () => {
    flow.stay()
    void cancel()
  }
  const renewed = async () => {
    if (await cancel()) renew()
  }
  const here = <Button onClick={stay}>{t("handoffHere")}</Button>

  if (state.kind === "making") return <Loading />
  if (state.kind === "failed") {
    const { failure } = state
    // Without a waiting time, the session has used all its handoffs.
    const spent = failure.kind === "busy" && failure.seconds === undefined
    const words = spent
      ? { title: t("handoffSpentTitle"), text: t("handoffSpentText") }
      : wordsFor(failure, i18n)
    return (
      <Message {...words}>
        <div class="actions">
          {spent ? null : (
            <Button look="primary" onClick={renew}>
              {t("retry")}
            </Button>
          )}
          {here}
        </div>
      </Message>
    )
  }

  const { followed, made } = state
  switch (followed.status) {
    case "waiting":
      return <Code key={made.id} made={made} here={here} />
    case "claimed":
      return <Claimed followed={followed} onForeign={renewed} here={here} />
    case "confirmed":
      // The flow shows another screen.
      return null
    case "refused":
    case "cancelled":
    case "expired":
      return (
        <Message title={t(`handoff.${followed.status}.title`)} text={t(`handoff.${followed.status}.text`)}>
          <div class="actions">
            <Button look="primary" onClick={renew}>
              {t("handoffNew")}
            </Button>
            {here}
          </div>
        </Message>
      )
  }
}

/** Without the script for QR codes, the page shows only the link. */
const loadCode = async (text: string): Promise<QrCode | undefined> => {
  const address = told("qr")
  if (address === undefined) return undefined
  try {
    const { qrCode }: typeof import("./qr.ts") = await import(address)
    return qrCode(text)
  } catch {
    return undefined
  }
}

interface CodeProps {
  readonly made: Made
  readonly here: ComponentChildren
}

const Code = ({ here, made }: CodeProps) => {
  const { t } = useI18n()
  const [code, setCode] = useState<QrCode>()
  const [copied, setCopied] = useState(false)
  const link = useRef<HTMLInputElement>(null)

  useEffect(() => {
    void loadCode(made.url).then(setCode)
  }, [made])

  const copy = async () => {
    link.current?.select()
    try {
      await navigator.clipboard.writeText(made.url)
      setCopied(true)
    } catch {
      // In most frames, and on plain http, only the old command works. If that fails, the link is selected.
      setCopied(document.execCommand("copy"))
    }
  }

  return (
    <Message title={t("handoffTitle")} text={t("handoffText")}>
      <div class="qr">
        {code === undefined ? null : (
          <svg viewBox={code.viewBox} role="img" aria-label={t("handoffCode")}>
            <path d={code.path} />
          </svg>
        )}
      </div>
      <Waiting>{t("handoffWaiting")}</Waiting>
      <div class="field">
        <label for="handoff-link">{t("handoffLink")}</label>
        <div class="row">
          <input
            id="handoff-link"
            ref={link}
            type="text"
            dir="ltr"
            readOnly
            value={made.url}
            onFocus={({ currentTarget }) => currentTarget.select()}
          />
          <Button onClick={copy}>{t("handoffCopy")}</Button>
        </div>
        <p class="hint" role="status">
          {copied ? t("handoffCopied") : ""}
        </p>
      </div>
      <div class="actions">{here}</div>
    </Message>
  )
}

interface ClaimedProps {
  readonly followed: Followed
  readonly onForeign: () => void
  readonly here: ComponentChildren
}

const Claimed = ({ followed, here, onForeign }: ClaimedProps) => {
  const { t } = useI18n()
  const device = t(`device.${followed.device}`)
  return (
    <Message title={t("handoffClaimedTitle")} text={t("handoffClaimedText", { device })}>
      <p class="matching" role="status" dir="ltr">
        {followed.code}
      </p>
      <div class="actions">
        <Button onClick={onForeign}>{t("handoffForeign")}</Button>
        {here}
      </div>
    </Message>
  )
}
