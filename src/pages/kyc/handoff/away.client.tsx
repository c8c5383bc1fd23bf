/** What the first device shows of a session that has gone over: how far it has come on the other one. */

import { Button } from "../../ui/parts.client.tsx"
import { Progress } from "../frame.client.tsx"
import { useI18n } from "../i18n.client.ts"
import type { Json } from "../json.client.ts"
import { Heading, useFlow } from "../ui.client.tsx"
import { useProgress } from "./following.client.ts"

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
