/** A handoff on the second device: whose session it is, a button to claim it, and the code to enter. */
import { useEffect, useMemo, useState } from "preact/hooks"
import type { Json } from "../../json.ts"
import { useBusy } from "../../ui/busy.ts"
import { Button } from "../../ui/parts.tsx"
import { linkApi, type Offer } from "../api.ts"
import { type MessageKey, useI18n } from "../i18n/i18n.ts"
import { inLanguage } from "../instances/config.ts"
import type { Failure } from "../request.ts"
import { FailureScreen } from "../screens/error-screen.tsx"
import { Field, Heading, Loading, Message } from "../screens/parts.tsx"
import { link } from "../sessions/token.ts"

type Ended = "taken" | "expired" | "cancelled" | "refused" | "finished"

const words: Readonly<Record<Ended, readonly [MessageKey, MessageKey]>> = {
  taken: ["claimTakenTitle", "claimTakenText"],
  expired: ["handoff.expired.title", "claimExpiredText"],
  cancelled: ["handoff.cancelled.title", "claimExpiredText"],
  refused: ["handoff.refused.title", "claimRefusedText"],
  finished: ["failedTitle", "closeText"]
}

type Screen =
  | { readonly kind: "loading" }
  | { readonly kind: "offer"; readonly offer: Offer }
  | { readonly kind: "code" }
  | { readonly kind: "ended"; readonly why: Ended }
  | { readonly kind: "failed"; readonly failure: Failure; readonly again: () => Promise<void> }

interface ClaimProps {
  readonly sessionId: string
  readonly secret: string
  readonly onOffer: (offer: Offer) => void
  readonly onConfirmed: (token: string, carry: Json) => void
}

export const Claim = ({ onConfirmed, onOffer, secret, sessionId }: ClaimProps) => {
  const { t } = useI18n()
  const api = useMemo(() => linkApi(sessionId, secret), [sessionId, secret])
  const [screen, setScreen] = useState<Screen>({ kind: "loading" })
  const { busy, run } = useBusy()

  const fail = (failure: Failure, again: () => Promise<void>) =>
    setScreen(
      failure.kind === "finished" ? { kind: "ended", why: "finished" } : { kind: "failed", failure, again }
    )

  /** If another device claimed the handoff, or it ended, the next request tells which. */
  const failClaim = (failure: Failure, again: () => Promise<void>) => {
    if (failure.kind !== "finished" && failure.kind !== "expired") return fail(failure, again)
    link.forgetReceipt(sessionId)
    return look()
  }

  const look = async (): Promise<void> => {
    const found = await api.inspect()
    if (!found.ok) return fail(found.failure, look)
    const offer = found.value
    onOffer(offer)
    switch (offer.status) {
      case "waiting":
        return setScreen({ kind: "offer", offer })
      case "claimed":
        // This tab may have claimed it before a reload.
        return link.receipt(sessionId) === undefined ? setScreen({ kind: "ended", why: "taken" }) : claim()
      case "confirmed":
        return setScreen({ kind: "ended", why: "taken" })
      default:
        return setScreen({ kind: "ended", why: offer.status })
    }
  }

  const claim = async (): Promise<void> => {
    const claimed = await api.claim(link.receipt(sessionId) ?? link.newReceipt(sessionId))
    return claimed.ok ? setScreen({ kind: "code" }) : failClaim(claimed.failure, claim)
  }

  const confirm = async (code: string): Promise<void> => {
    const confirmed = await api.confirm(link.receipt(sessionId) ?? "", code)
    if (confirmed.ok) {
      link.forget(sessionId)
      return onConfirmed(confirmed.value.token, confirmed.value.carry)
    }
    const { failure } = confirmed
    if (failure.kind === "refused") return setScreen({ kind: "ended", why: "refused" })
    return failClaim(failure, () => confirm(code))
  }

  useEffect(() => void look(), [api])

  switch (screen.kind) {
    case "loading":
      return <Loading />
    case "offer":
      return <Offered offer={screen.offer} busy={busy} onClaim={() => void run(claim)} />
    case "code":
      return <Code busy={busy} onCode={(code) => void run(() => confirm(code))} />
    case "failed":
      return <FailureScreen failure={screen.failure} onRetry={screen.again} />
    case "ended": {
      const [title, text] = words[screen.why]
      return <Message badge="problem" title={t(title)} text={t(text)} />
    }
  }
}

interface OfferedProps {
  readonly offer: Offer
  readonly busy: boolean
  readonly onClaim: () => void
}

const Offered = ({ busy, offer, onClaim }: OfferedProps) => {
  const { locale, t } = useI18n()
  const { company } = offer.config.legal
  const whose = company ?? inLanguage(offer.config.title, [locale, offer.config.defaultLocale ?? "en"])
  const text = whose === undefined ? t("claimTextPlain") : t("claimText", { company: whose })
  return (
    <Message title={t("claimTitle")} text={text}>
      <p class="card">{t("claimWarning")}</p>
      <div class="actions">
        <Button look="primary" busy={busy} onClick={onClaim}>
          {t("claimAction")}
        </Button>
      </div>
    </Message>
  )
}

/** The server accepts only Latin digits, but an Arabic keyboard types others. */
const latinDigits = (text: string): string =>
  text
    .replace(/[\u0660-\u0669]/g, (digit) => String(digit.charCodeAt(0) - 0x660))
    .replace(/[\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) - 0x6f0))
    .replace(/\s/g, "")

interface CodeProps {
  readonly busy: boolean
  readonly onCode: (code: string) => void
}

const Code = ({ busy, onCode }: CodeProps) => {
  const { t } = useI18n()
  const [value, setValue] = useState("")
  const [error, setError] = useState<string>()
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (busy) return
        const code = latinDigits(value)
        // A typo should not use up the only attempt.
        const wrong = /^[1-9]\d$/.test(code) ? undefined : t("claimCodeInvalid")
        setError(wrong)
        if (wrong === undefined) onCode(code)
        else document.getElementById("matching-code")?.focus()
      }}
    >
      <Heading>{t("claimCodeTitle")}</Heading>
      <p class="intro">{t("claimCodeText")}</p>
      <Field id="matching-code" label={t("claimCodeLabel")} error={error}>
        {(attributes) => (
          <input
            {...attributes}
            class="matching"
            type="text"
            inputmode="numeric"
            autocomplete="off"
            dir="ltr"
            maxLength={4}
            value={value}
            onInput={({ currentTarget }) => setValue(currentTarget.value)}
          />
        )}
      </Field>
      <div class="actions">
        <Button look="primary" submits busy={busy}>
          {t("continue")}
        </Button>
      </div>
    </form>
  )
}
