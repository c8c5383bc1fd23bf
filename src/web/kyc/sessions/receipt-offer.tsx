/** At the end: a receipt that the end user may keep. */
import { useEffect, useState } from "preact/hooks"
import { useBusy } from "../../ui/busy.ts"
import { Button } from "../../ui/parts.tsx"
import type { SessionApi } from "../api.ts"
import { useI18n } from "../i18n/i18n.ts"
import type { Failure } from "../request.ts"
import { FailureAlert } from "../screens/failure-alert.tsx"

interface ReceiptOfferProps {
  readonly ask: SessionApi["receipt"]
  readonly sessionId: string
  /** The end user is busy with the receipt, so the page must not leave. */
  readonly onAsk: () => void
}

/** The receipt goes into the fragment, which no browser sends. */
const pageOf = (receipt: string): string => `/receipt#${receipt}`

export const ReceiptOffer = ({ ask, onAsk, sessionId }: ReceiptOfferProps) => {
  const { t } = useI18n()
  const [receipt, setReceipt] = useState<string>()
  const [file, setFile] = useState<string>()
  const [failure, setFailure] = useState<Failure>()
  const { busy, run } = useBusy()

  useEffect(() => {
    if (receipt === undefined) return undefined
    const address = URL.createObjectURL(new Blob([receipt], { type: "application/jose" }))
    setFile(address)
    return () => URL.revokeObjectURL(address)
  }, [receipt])

  const get = async () => {
    onAsk()
    const outcome = await run(ask)
    setFailure(outcome.ok ? undefined : outcome.failure)
    if (outcome.ok) setReceipt(outcome.value)
  }

  return (
    <div class="receipt-offer">
      <p>{t("receiptOffer")}</p>
      {failure === undefined ? null : (
        <FailureAlert failure={failure} busy={busy} onRetry={() => void get()} />
      )}
      {receipt === undefined || file === undefined ? (
        <Button busy={busy} onClick={() => void get()}>
          {t("receiptGet")}
        </Button>
      ) : (
        <div class="actions">
          <a class="button" href={pageOf(receipt)} target="_blank" rel="noreferrer">
            {t("receiptOpen")}
          </a>
          <a class="button" href={file} download={`receipt-${sessionId}.jws`}>
            {t("receiptSave")}
          </a>
        </div>
      )}
    </div>
  )
}
