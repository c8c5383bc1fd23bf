import { type PersonIdentity, personFields } from "../../../kyc/dedup/identity-model.ts"
import { type Json, text } from "../../json.ts"
import { foundKey } from "../dedup/duplicate.ts"
import { DuplicateNotice, useDuplicateCheck } from "../dedup/duplicate-check.tsx"
import { type I18n, useI18n } from "../i18n/i18n.ts"
import { inLanguage } from "../instances/config.ts"
import type { Field as FormField } from "../instances/workflow.ts"
import { type ControlAttributes, Field, languagesFor, Select, useErrors, useFlow } from "../screens/parts.tsx"
import { countries } from "./countries.ts"
import { ageOn, today } from "./dates.ts"
import { Shell, type StepProps } from "./step-layout.tsx"

const problemOf = (field: FormField, value: string, label: string, { t }: I18n): string | undefined => {
  if (value === "") {
    if (!field.required) return undefined
    return t(field.type === "text" || field.type === "date" ? "errorRequired" : "errorChoose", {
      field: label
    })
  }
  if (field.type === "text" && value.length > field.max)
    return t("errorLong", { field: label, max: field.max })
  if (field.type === "text" && value.length < field.min) {
    return t("errorShort", { field: label, min: field.min })
  }
  if (field.type !== "date") return undefined
  const age = ageOn(value, new Date())
  if (age === undefined) return t("errorDate", { field: label })
  if (field.minAge !== undefined || field.autocomplete === "bday") {
    if (value > today()) return t("errorFuture", { field: label })
    if (field.minAge !== undefined && age < field.minAge) return t("errorAge", { age: field.minAge })
  }
  return field.maxAge !== undefined && age > field.maxAge ? t("errorTooLongAgo", { field: label }) : undefined
}

/** Undefined unless the form has all fields that identify a person. */
const personIn = (answer: Json): PersonIdentity | undefined => {
  const [givenName, familyName, dateOfBirth, nationality] = personFields.map((id) => text(answer[id]))
  if (!givenName || !familyName || !dateOfBirth || !nationality) return undefined
  return { kind: "person", givenName, familyName, dateOfBirth, nationality }
}

export const Form = ({ draft, step }: StepProps<"form">) => {
  const i18n = useI18n()
  const flow = useFlow()
  const { t } = i18n
  const locales = languagesFor(i18n, flow)
  const values = Object.fromEntries(step.fields.map(({ id }) => [id, text(draft[id]) ?? ""]))
  const { dedup } = flow.session.config
  const looksForPerson = dedup.enabled && dedup.strategy === "person"
  const check = useDuplicateCheck(step)
  const { errors, find, clearError, review } = useErrors()

  const controlId = (field: FormField) => `${step.id}-${field.id}`
  const labelOf = (field: FormField) =>
    inLanguage(field.label, locales) ?? i18n.known(`field.${field.id}`) ?? field.id
  const change = (field: FormField, value: string) => {
    clearError(controlId(field))
    flow.edit(step, (before) => ({ ...before, [field.id]: value }))
  }

  const submit = () => {
    const cleaned = Object.fromEntries(Object.entries(values).map(([id, value]) => [id, value.trim()]))
    const wrong = new Map(
      step.fields.flatMap((field) => {
        const problem = problemOf(field, cleaned[field.id] ?? "", labelOf(field), i18n)
        return problem === undefined ? [] : [[controlId(field), problem] as const]
      })
    )
    find(wrong)
    if (wrong.size > 0) return
    const answer = Object.fromEntries(Object.entries(cleaned).filter(([, value]) => value !== ""))
    const person = looksForPerson ? personIn(answer) : undefined
    if (person === undefined) void flow.submit(step, answer)
    else void check.submit(person, (found) => ({ ...answer, [foundKey]: found }))
  }

  const choicesOf = (field: FormField) =>
    field.type === "country"
      ? countries(i18n.locale, field.countries)
      : field.options.map(({ label, value }) => ({ code: value, name: inLanguage(label, locales) ?? value }))

  const controlOf = (field: FormField, attributes: ControlAttributes) => {
    const common = {
      ...attributes,
      name: field.id,
      value: values[field.id] ?? "",
      autocomplete: field.autocomplete ?? "off"
    }
    if (field.type === "country" || field.type === "select") {
      return <Select {...common} choices={choicesOf(field)} onCode={(code) => change(field, code)} />
    }
    const onInput = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
      change(field, currentTarget.value)
    if (field.type === "date") return <input {...common} type="date" min="1900-01-01" onInput={onInput} />
    return <input {...common} type="text" maxLength={field.max} onInput={onInput} />
  }

  return (
    <Shell
      intro={t(flow.isFilled(step) ? "documentFieldsRead" : "formIntro")}
      review={review}
      onSubmit={submit}
      busy={check.checking}
    >
      {step.fields.map((field) => (
        <Field
          key={field.id}
          id={controlId(field)}
          label={labelOf(field)}
          optional={!field.required}
          hint={inLanguage(field.help, locales)}
          error={errors.get(controlId(field))}
        >
          {(attributes) => controlOf(field, attributes)}
        </Field>
      ))}
      <DuplicateNotice check={check} kind="person" onRetry={submit} controlId={`${step.id}-familyName`} />
    </Shell>
  )
}
