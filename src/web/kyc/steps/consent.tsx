import { useState } from "preact/hooks"
import { ownConsent } from "../../../kyc/instances/own-consent-model.ts"
import { objects } from "../../json.ts"
import { useI18n } from "../i18n/i18n.ts"
import { inLanguage } from "../instances/config.ts"
import type { ConsentItem } from "../instances/workflow.ts"
import { ControlError, languagesFor, Stop, useErrors, useFlow } from "../screens/parts.tsx"
import { sha256 } from "../sha256.ts"
import { Shell, type StepProps } from "./step-layout.tsx"

const controlId = (itemId: string) => `consent-${itemId}`

/** The record holds a hash of the exact text that was shown. */
export const Consent = ({ draft, state, step }: StepProps<"consent">) => {
  const i18n = useI18n()
  const flow = useFlow()
  const { t } = i18n
  const { company, consentVersion, privacyUrl } = flow.session.config.legal
  const [agreed, setAgreed] = useState<ReadonlySet<string>>(
    () => new Set(objects(draft.items).map(({ id }) => String(id)))
  )
  const { errors, find, clearError, review } = useErrors()
  const textOf = (item: ConsentItem) =>
    inLanguage(item.text, languagesFor(i18n, flow)) ?? ownConsent[i18n.locale]

  const toggle = (id: string) => {
    const next = new Set(agreed)
    if (!next.delete(id)) next.add(id)
    setAgreed(next)
    clearError(controlId(id))
  }

  const submit = () => {
    const missing = step.items.filter(({ id, required }) => required && !agreed.has(id))
    find(new Map(missing.map((item) => [controlId(item.id), t("errorConsent")])))
    if (missing.length > 0) return
    const acceptedAt = new Date().toISOString()
    void flow.submit(step, {
      items: step.items
        .filter(({ id }) => agreed.has(id))
        .map((item) => ({
          id: item.id,
          version: consentVersion,
          textSha256: sha256(textOf(item)),
          locale: i18n.locale,
          acceptedAt
        }))
    })
  }

  return (
    <Shell
      intro={company === undefined ? t("consentIntroPlain") : t("consentIntro", { company })}
      review={review}
      action={t("agree")}
      onSubmit={submit}
      after={
        <Stop busy={state.saving} onStop={() => flow.leave("CONSENT_DECLINED")}>
          {t("consentDecline")}
        </Stop>
      }
    >
      <section class="card" aria-labelledby="have">
        <h2 id="have">{t("consentHave")}</h2>
        <ul class="ready">
          <li>{t("consentHaveDocument")}</li>
          <li>{t("consentHaveCamera")}</li>
        </ul>
      </section>
      {step.items.map((item) => {
        const id = controlId(item.id)
        const error = errors.get(id)
        return (
          <div key={item.id} class={error === undefined ? "consent" : "consent wrong"}>
            <label class="check" for={id}>
              <input
                id={id}
                type="checkbox"
                checked={agreed.has(item.id)}
                required={item.required}
                aria-invalid={error !== undefined}
                aria-describedby={error === undefined ? undefined : `${id}-error`}
                onChange={() => toggle(item.id)}
              />
              <span dir="auto">{textOf(item)}</span>
            </label>
            <ControlError id={id} error={error} />
            {item.url === undefined ? null : (
              <a class="more" href={item.url} target="_blank" rel="noreferrer">
                {t("consentRead")}
              </a>
            )}
          </div>
        )
      })}
      {privacyUrl === undefined ? null : (
        <p>
          <a class="more" href={privacyUrl} target="_blank" rel="noreferrer">
            {t("privacy")}
          </a>
        </p>
      )}
    </Shell>
  )
}
