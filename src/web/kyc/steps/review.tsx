import { type Json, oneOf, text } from "../../json.ts"
import { Button } from "../../ui/parts.tsx"
import { useObjectUrl } from "../files/object-url.ts"
import { type I18n, useI18n } from "../i18n/i18n.ts"
import { inLanguage } from "../instances/config.ts"
import { documentTypes, type Step } from "../instances/workflow.ts"
import { languagesFor, useFlow } from "../screens/parts.tsx"
import { type FileAnswer, prompts, readDocument, readFiles } from "../sessions/answers.ts"
import { countryName } from "./countries.ts"
import { sideLabel } from "./document-errors.ts"
import { Shell, type StepProps, titleOf } from "./step-layout.tsx"

type Row = readonly [label: string, value: string, files?: ReadonlyArray<FileAnswer>]

/** Only of pictures that were sent from this tab: the page cannot read files from the server. */
const Thumbnail = ({ file, label }: { readonly file: FileAnswer; readonly label: string }) => {
  const flow = useFlow()
  const url = useObjectUrl(flow.picture(file.id)) ?? flow.thumbnail(file.id)
  return url === undefined ? null : <img src={url} alt={label} />
}

const labelOf = ({ document, name, prompt, side }: FileAnswer, i18n: I18n): string => {
  const { t } = i18n
  const pose = oneOf(prompt, prompts)
  if (pose !== undefined) return t(`prompt.${pose}`)
  if (side === undefined) return name ?? t("preview")
  return sideLabel(oneOf(document, documentTypes) ?? "", side === "back" ? "back" : "front", i18n)
}

const day = (value: string, { locale }: I18n): string => {
  const date = new Date(`${value}T00:00:00Z`)
  return Number.isNaN(date.getTime())
    ? value
    : new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone: "UTC" }).format(date)
}

interface Context {
  readonly i18n: I18n
  readonly locales: ReadonlyArray<string>
  readonly secret: string | undefined
}

const rowsOf = (step: Step, answer: Json, { i18n, locales, secret }: Context): ReadonlyArray<Row> => {
  const { t } = i18n
  const photos = (): Row => {
    const files = readFiles(answer.files)
    return [t("reviewFiles"), String(files.length), files]
  }
  if (answer.skipped === true) return [[t("reviewFiles"), t("reviewNone")]]
  switch (step.type) {
    case "consent":
      return [[t("reviewConsent"), "✓"]]
    case "form":
      return step.fields.flatMap((field): ReadonlyArray<Row> => {
        const value = text(answer[field.id])
        if (value === undefined) return []
        const label = inLanguage(field.label, locales) ?? i18n.known(`field.${field.id}`) ?? field.id
        if (field.type === "date") return [[label, day(value, i18n)]]
        if (field.type === "country") return [[label, countryName(value, i18n.locale)]]
        const option = field.options.find((candidate) => candidate.value === value)
        return [[label, inLanguage(option?.label, locales) ?? value]]
      })
    case "document": {
      const { country, expiry, last3, number, type } = readDocument(answer)
      const shown = number === "" ? (secret ?? t("endingWith", { last: last3 })) : number
      return [
        [t("documentType"), type === "" ? "" : t(type)],
        [t("documentCountry"), countryName(country, i18n.locale)],
        ...(step.asksNumber ? ([[t("documentNumber"), shown]] as const) : []),
        ...(step.asksExpiry ? ([[t("documentExpiry"), day(expiry, i18n)]] as const) : []),
        photos()
      ]
    }
    default:
      return [photos()]
  }
}

export const Review = ({ state, step }: StepProps<"review">) => {
  const i18n = useI18n()
  const flow = useFlow()
  const { t } = i18n
  const locales = languagesFor(i18n, flow)
  const answered = state.steps.filter(({ id }) => Object.hasOwn(state.answers, id))
  return (
    <Shell intro={t("reviewIntro")} action={t("reviewSend")} onSubmit={() => void flow.submit(step, {})}>
      {answered.map((part) => {
        const title = titleOf(part, i18n, locales)
        const rows = rowsOf(part, state.answers[part.id] ?? {}, {
          i18n,
          locales,
          secret: flow.documentNumber(part.id)
        })
        return (
          <section key={part.id} class="card summary" aria-labelledby={`review-${part.id}`}>
            <header>
              <h2 id={`review-${part.id}`}>{title}</h2>
              <Button look="quiet" busy={state.saving} onClick={() => flow.goTo(part)}>
                {t("edit")}
                <span class="visually-hidden">: {title}</span>
              </Button>
            </header>
            <dl>
              {rows.map(([label, value]) => (
                <div key={label}>
                  <dt>{label}</dt>
                  <dd dir="auto">{value}</dd>
                </div>
              ))}
            </dl>
            <div class="thumbnails">
              {rows
                .flatMap(([, , files = []]) => files)
                .map((file) => (
                  <Thumbnail key={file.id} file={file} label={labelOf(file, i18n)} />
                ))}
            </div>
          </section>
        )
      })}
    </Shell>
  )
}
