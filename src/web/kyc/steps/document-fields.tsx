import { describedBy } from "../../ui/parts.tsx"
import { useI18n } from "../i18n/i18n.ts"
import type { StepOf } from "../instances/workflow.ts"
import { ControlError, type Errors, Field } from "../screens/parts.tsx"
import type { DocumentDraft } from "../sessions/answers.ts"
import { countries } from "./countries.ts"

interface DocumentFieldsProps {
  readonly step: StepOf<"document">
  readonly draft: DocumentDraft
  readonly errors: Errors
  readonly onChange: (part: Partial<DocumentDraft>) => void
  readonly onZone: (zone: string) => void
}

export const DocumentFields = ({ draft, errors, onChange, onZone, step }: DocumentFieldsProps) => {
  const { locale, t } = useI18n()
  const id = (control: string) => `${step.id}-${control}`
  const described = (control: string, hint?: string) => ({
    id: id(control),
    "aria-invalid": errors.has(id(control)),
    "aria-describedby": describedBy(id(control), hint, errors.get(id(control)))
  })
  const typeError = errors.get(id(step.documents[0] ?? ""))
  const numberHint =
    draft.last3 !== "" && draft.number === "" ? t("documentNumberAgain", { last: draft.last3 }) : undefined

  return (
    <>
      <fieldset class={typeError === undefined ? "choices" : "choices wrong"}>
        <legend>{t("documentType")}</legend>
        {step.documents.map((type) => (
          <label key={type} class="choice" for={id(type)}>
            <input
              id={id(type)}
              type="radio"
              name={id("type")}
              checked={draft.type === type}
              aria-describedby={typeError === undefined ? undefined : `${id("type")}-error`}
              onChange={() => onChange({ type })}
            />
            <span>{t(type)}</span>
          </label>
        ))}
        <ControlError id={id("type")} error={typeError} />
      </fieldset>
      <Field id={id("country")} label={t("documentCountry")} error={errors.get(id("country"))}>
        <select
          {...described("country")}
          value={draft.country}
          autocomplete="country"
          required
          onChange={({ currentTarget }) => onChange({ country: currentTarget.value })}
        >
          <option value="">{t("choose")}</option>
          {countries(locale, step.countries).map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
      </Field>
      {step.zone === "none" ? null : (
        <Field
          id={id("zone")}
          label={t("zone")}
          optional={step.zone === "optional"}
          hint={t("zoneHint")}
          error={errors.get(id("zone"))}
        >
          <textarea
            {...described("zone", t("zoneHint"))}
            class="zone"
            dir="ltr"
            rows={3}
            value={draft.zone}
            autocomplete="off"
            autocapitalize="characters"
            spellcheck={false}
            onInput={({ currentTarget }) => onZone(currentTarget.value)}
          />
        </Field>
      )}
      {step.asksNumber ? (
        <Field
          id={id("number")}
          label={t("documentNumber")}
          hint={numberHint}
          error={errors.get(id("number"))}
        >
          <input
            {...described("number", numberHint)}
            type="text"
            dir="ltr"
            value={draft.number}
            maxLength={60}
            required
            autocomplete="off"
            autocapitalize="characters"
            spellcheck={false}
            onInput={({ currentTarget }) => onChange({ number: currentTarget.value })}
          />
        </Field>
      ) : null}
      {step.asksExpiry ? (
        <Field id={id("expiry")} label={t("documentExpiry")} error={errors.get(id("expiry"))}>
          <input
            {...described("expiry")}
            type="date"
            value={draft.expiry}
            required
            autocomplete="off"
            onInput={({ currentTarget }) => onChange({ expiry: currentTarget.value })}
          />
        </Field>
      ) : null}
    </>
  )
}
