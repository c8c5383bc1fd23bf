import type { RefObject } from "preact"
import { useState } from "preact/hooks"
import { type MessageKey, useI18n } from "../i18n/i18n.ts"
import type { StepOf } from "../instances/workflow.ts"
import { ControlError, type Errors, Field, Select } from "../screens/parts.tsx"
import type { DocumentDraft } from "../sessions/answers.ts"
import { countries } from "./countries.ts"

interface DocumentFieldsProps {
  readonly step: StepOf<"document">
  readonly draft: DocumentDraft
  readonly errors: Errors
  readonly heading: RefObject<HTMLHeadingElement | null>
  /** What to do with the fields. */
  readonly words: MessageKey
  readonly onChange: (part: Partial<DocumentDraft>) => void
  readonly onZone: (zone: string) => void
}

/** Neither a spelling checker nor a keyboard's corrections know what is written on documents. */
const unassisted = {
  dir: "ltr",
  autocomplete: "off",
  autocapitalize: "characters",
  spellcheck: false
} as const

/** The type, which decides what to photograph. */
export const DocumentTypes = ({
  draft,
  errors,
  onChange,
  step
}: Pick<DocumentFieldsProps, "draft" | "errors" | "onChange" | "step">) => {
  const { t } = useI18n()
  const id = (control: string) => `${step.id}-${control}`
  const typeError = errors.get(id(step.documents[0] ?? ""))
  return (
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
  )
}

/** What is written on the document. */
export const DocumentFields = (props: DocumentFieldsProps) => {
  const { draft, errors, heading, onChange, onZone, step, words } = props
  const { locale, t } = useI18n()
  const id = (control: string) => `${step.id}-${control}`
  const named = (control: string, label: MessageKey) => ({
    id: id(control),
    label: t(label),
    error: errors.get(id(control))
  })
  const numberHint =
    draft.last3 !== "" && draft.number === "" ? t("documentNumberAgain", { last: draft.last3 }) : undefined

  // An error must be seen, and what was typed as well; but nothing closes while it is typed.
  const [opened] = useState(draft.zone !== "")
  const zone = (
    <Field {...named("zone", "zone")} optional={step.zone === "optional"} hint={t("zoneHint")}>
      {(attributes) => (
        <textarea
          {...attributes}
          {...unassisted}
          class="zone"
          rows={3}
          value={draft.zone}
          onInput={({ currentTarget }) => onZone(currentTarget.value)}
        />
      )}
    </Field>
  )

  return (
    <>
      <h2 class="part" ref={heading}>
        {t("documentFields")}
      </h2>
      <p class="hint" role="status">
        {t(words)}
      </p>
      <Field {...named("country", "documentCountry")}>
        {(attributes) => (
          <Select
            {...attributes}
            value={draft.country}
            autocomplete="country"
            choices={countries(locale, step.countries)}
            onCode={(country) => onChange({ country })}
          />
        )}
      </Field>
      {step.asksNumber ? (
        <Field {...named("number", "documentNumber")} hint={numberHint}>
          {(attributes) => (
            <input
              {...attributes}
              {...unassisted}
              type="text"
              value={draft.number}
              maxLength={60}
              onInput={({ currentTarget }) => onChange({ number: currentTarget.value })}
            />
          )}
        </Field>
      ) : null}
      {step.asksExpiry ? (
        <Field {...named("expiry", "documentExpiry")}>
          {(attributes) => (
            <input
              {...attributes}
              type="date"
              value={draft.expiry}
              autocomplete="off"
              onInput={({ currentTarget }) => onChange({ expiry: currentTarget.value })}
            />
          )}
        </Field>
      ) : null}
      {step.zone === "none" ? null : step.zone === "required" ? (
        zone
      ) : (
        <details class="more-ways" open={opened}>
          <summary>{t("zoneInstead")}</summary>
          {zone}
        </details>
      )}
    </>
  )
}
