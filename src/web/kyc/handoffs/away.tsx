/** On the first device: the session's progress on the other one. */
import type { Json } from "../../json.ts"
import { Button } from "../../ui/parts.tsx"
import { useI18n } from "../i18n/i18n.ts"
import { Progress } from "../screens/layout.tsx"
import { Message, useFlow, Waiting } from "../screens/parts.tsx"
import { useProgress } from "./following.ts"

interface AwayProps {
  /** `carry` is the input from before the session moved. */
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
