import type { ComponentChildren } from "preact"
import { Button } from "../../ui/parts.tsx"
import { useStore } from "../../ui/store.ts"
import { useI18n } from "../i18n/i18n.ts"
import { useFlow } from "../screens/parts.tsx"
import type { Flow } from "../sessions/create-flow.ts"

/** Whether this is a phone or tablet, whose camera is good enough. */
const isHandheld = (): boolean =>
  /Android|iPhone|iPad|iPod|\bMobile\b/.test(navigator.userAgent) ||
  (matchMedia("(pointer: coarse)").matches && !matchMedia("(any-pointer: fine)").matches)

/** Whether to offer a phone for the photos: never on a phone, which is the best device already. */
export const mayOfferPhone = ({ mayHandOff }: Flow): boolean => mayHandOff && !isHandheld()

export const HandoffButton = ({ children }: { readonly children: ComponentChildren }) => {
  const flow = useFlow()
  const { saving, uploads } = useStore(flow.store)
  return (
    <Button busy={saving || uploads > 0} onClick={flow.handOff}>
      {children}
    </Button>
  )
}

export const HandoffOffer = () => {
  const { t } = useI18n()
  const flow = useFlow()
  if (!mayOfferPhone(flow)) return null
  return (
    <section class="card offer">
      <p>{t("handoffOffer")}</p>
      <HandoffButton>{t("handoffOpen")}</HandoffButton>
    </section>
  )
}
