/** The first device's view of a session that has moved to another device: its progress there. */

import type { Json } from "../../json.ts"
import { Button } from "../../ui/parts.tsx"
import { useI18n } from "../i18n/i18n.ts"
import { Progress } from "../screens/layout.tsx"
import { Message, useFlow, Waiting } from "../screens/parts.tsx"
import { useProgress } from "./following.ts"

interface AwayProps {
  /** Continues on this device, with the input from before the session moved. */
  readonly onComeBack: (carry: Json) => void
}

export const Away = ({ onComeBack }: AwayProps) => {
  const { t } = useI18n()
  const flow = useFlow()
  const step = useProgress(flow)
  const total = flow.store.get().steps.length
  return (
    <>
      {step === undefined ? null : <Progress step={step} total={total} />}
      <Message title={t("handoffAwayTitle")} text={t("handoffAwayText")}>
        <Waiting>
          {step === undefined ? t("handoffAwayWaiting") : t("handoffAwayStep", { step, total })}
        </Waiting>
      </Message>
      <div class="card offer">
        <p>{t("handoffAwayHere")}</p>
        <Button onClick={() => onComeBack(flow.carry())}>{t("handoffHere")}</Button>
      </div>
    </>
  )
}
