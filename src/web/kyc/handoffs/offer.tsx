import type { ComponentChildren } from "preact"
import { Button } from "../../ui/parts.tsx"
import { useStore } from "../../ui/store.ts"
import { useI18n } from "../i18n/i18n.ts"
import { useFlow } from "../screens/parts.tsx"

/** Whether this is a phone or tablet, whose camera is good enough. */
const isHandheld = (): boolean =>
  /Android|iPhone|iPad|iPod|\bMobile\b/.test(navigator.userAgent) ||
  (matchMedia("(pointer: coarse)").matches && !matchMedia("(any-pointer: fine)").matches)

interface HandoffButtonProps {
  readonly look?: "secondary" | "quiet"
  readonly children: ComponentChildren
}

export const HandoffButton = ({ children, look = "secondary" }: HandoffButtonProps) => {
  const flow = useFlow()
  const { saving, uploads } = useStore(flow.store)
  return (
    <Button look={look} busy={saving || uploads > 0} onClick={flow.handOff}>
      {children}
    </Button>
  )
}

/** Offers another device for the photos; less prominently on a phone, which usually is the best one. */
export const HandoffOffer = () => {
  const { t } = useI18n()
  const flow = useFlow()
  if (!flow.mayHandOff) return null
  if (isHandheld()) {
    return (
      <div class="other-device">
        <HandoffButton look="quiet">{t("handoffOther")}</HandoffButton>
      </div>
    )
  }
  return (
    <section class="card offer">
      <p>{t("handoffOffer")}</p>
      <HandoffButton>{t("handoffOpen")}</HandoffButton>
    </section>
  )
}
