import { useState } from "preact/hooks"
import { inLanguage } from "../config.client.ts"
import { countries } from "../countries.client.ts"
import { type I18n, useI18n } from "../i18n.client.ts"
import { text } from "../json.client.ts"
import { ageOn } from "../rules.client.ts"
import { describedBy, type Errors, Field, languagesFor, useFlow } from "../ui.client.tsx"
import type { Field as FormField, FormStep } from "../workflow.client.ts"
import { Shell, type StepProps } from "./shell.client.tsx"

type Values = Readonly<Record<string, string>>

const today = () => new Date().toISOString().slice(0, 10)

/** What is wrong with a value, in words, if anything is. */
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

/** Details in fields that the workflow names. */
export const Form = ({ draft, state, step }: StepProps<FormStep>) => {
  const i18n = useI18n()
  const flow = useFlow()
  const { t } = i18n
  const locales = languagesFor(i18n, flow)
  const [values, setValues] = useState<Values>(() =>
    Object.fromEntries(step.fields.map(({ id }) => [id, text(draft[id]) ?? ""]))
  )
  const [errors, setErrors] = useState<Errors>(new Map())

  const controlId = (field: FormField) => `${step.id}-${field.id}`
  const labelOf = (field: FormField) =>
    inLanguage(field.label, locales) ?? i18n.known(`field.${field.id}`) ?? field.id
  const change = (field: FormField, value: string) => {
    const next = { ...values, [field.id]: value }
    setValues(next)
    flow.drafts.set(step.id, next)
  }

  const submit = () => {
    const cleaned = Object.fromEntries(Object.entries(values).map(([id, value]) => [id, value.trim()]))
    const wrong = new Map(
      step.fields.flatMap((field) => {
        const problem = problemOf(field, cleaned[field.id] ?? "", labelOf(field), i18n)
        return problem === undefined ? [] : [[controlId(field), problem] as const]
      })
    )
    setErrors(wrong)
    if (wrong.size > 0) return
    void flow.submit(step, Object.fromEntries(Object.entries(cleaned).filter(([, value]) => value !== "")))
  }

  const control = (field: FormField, hint: string | undefined, error: string | undefined) => {
    const id = controlId(field)
    const value = values[field.id] ?? ""
    const common = {
      id,
      name: field.id,
      value,
      required: field.required,
      "aria-invalid": error !== undefined,
      "aria-describedby": describedBy(id, hint, error)
    }
    if (field.type === "country" || field.type === "select") {
      const options =
        field.type === "country"
          ? countries(i18n.locale, field.countries).map(({ code, name }) => ({ value: code, name }))
          : field.options.map((option) => ({
              value: option.value,
              name: inLanguage(option.label, locales) ?? option.value
            }))
      return (
        <select
          {...common}
          autocomplete={field.autocomplete ?? "off"}
          onChange={({ currentTarget }) => change(field, currentTarget.value)}
        >
          <option value="">{t("choose")}</option>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.name}
            </option>
          ))}
        </select>
      )
    }
    const typed = {
      ...common,
      autocomplete: field.autocomplete ?? "off",
      onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
        change(field, currentTarget.value)
    }
    if (field.type === "date") return <input {...typed} type="date" min="1900-01-01" />
    return (
      <input
        {...typed}
        type="text"
        maxLength={field.max}
        {...(field.inputmode === undefined ? undefined : { inputMode: field.inputmode })}
      />
    )
  }

  return (
    <Shell
      step={step}
      state={state}
      title={t("formTitle")}
      intro={t("formIntro")}
      errors={errors}
      action={t("continue")}
      onSubmit={submit}
    >
      {step.fields.map((field) => {
        const error = errors.get(controlId(field))
        const hint = inLanguage(field.help, locales)
        return (
          <Field
            key={field.id}
            id={controlId(field)}
            label={labelOf(field)}
            optional={!field.required}
            hint={hint}
            error={error}
          >
            {control(field, hint, error)}
          </Field>
        )
      })}
    </Shell>
  )
}
