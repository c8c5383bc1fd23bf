/** What the first device shows of a session that has gone over: how far it has come on the other one. */

import type { Json } from "../../json.ts"
import { Button } from "../../ui/parts.tsx"
import { useI18n } from "../i18n/i18n.ts"
import { Progress } from "../screens/layout.tsx"
import { Heading, useFlow } from "../screens/parts.tsx"
import { useProgress } from "./following.ts"

interface AwayProps {
  /** Goes on here, with what was typed before the session went away. */
  readonly onComeBack: (carry: Json) => void
}

export const Away = ({ onComeBack }: AwayProps) => {
  const { t } = useI18n()
  const flow = useFlow()
  const step = useProgress(flow)
  const total = flow.store.get().steps.length
  return (
    <section class="handoff">
      {step === undefined ? null : <Progress step={step} total={total} />}
      <Heading>{t("handoffAwayTitle")}</Heading>
      <p class="intro">{t("handoffAwayText")}</p>
      <p class="busy" role="status">
        <span class="spinner" aria-hidden="true" />
        {step === undefined ? t("handoffAwayWaiting") : t("handoffAwayStep", { step, total })}
      </p>
      <div class="card offer">
        <p>{t("handoffAwayHere")}</p>
        <Button onClick={() => onComeBack(flow.carry())}>{t("handoffHere")}</Button>
      </div>
    </section>
  )
}
