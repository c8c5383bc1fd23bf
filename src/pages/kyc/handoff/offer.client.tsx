import { useI18n } from "../i18n.client.ts"
import { Button, useFlow } from "../ui.client.tsx"

/** Whether this is a device that is held in the hand and has a good camera of its own. */
const isHandheld = (): boolean =>
  /Android|iPhone|iPad|iPod|\bMobile\b/.test(navigator.userAgent) ||
  (matchMedia("(pointer: coarse)").matches && !matchMedia("(any-pointer: fine)").matches)

/** The way to another device, for steps that ask for photos; less in sight on a phone, which is that device mostly. */
export const HandoffOffer = () => {
  const { t } = useI18n()
  const flow = useFlow()
  if (!flow.mayHandOff) return null
  if (isHandheld()) {
    return (
      <div class="other-device">
        <Button look="quiet" onClick={flow.handOff}>
          {t("handoffOther")}
        </Button>
      </div>
    )
  }
  return (
    <section class="card offer">
      <p>{t("handoffOffer")}</p>
      <Button onClick={flow.handOff}>{t("handoffOpen")}</Button>
    </section>
  )
}
