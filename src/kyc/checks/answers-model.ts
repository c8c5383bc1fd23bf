/** Reads from the answers of a session what its photos can be compared with. */
import { Option } from "effect"
import { isJsonObject, type JsonObject } from "../../shared/json.ts"
import { defaultWorkflow } from "../instances/default-workflow-model.ts"
import { type Field, isKnown, type KnownStep, readWorkflow } from "../instances/workflow-model.ts"
import type { Typed } from "./findings-model.ts"
import type { Claimed } from "./signals-model.ts"

interface Session {
  readonly progress: JsonObject | null
  readonly result: unknown
  readonly instance_workflow: JsonObject
}

const objectIn = (value: unknown, key: string): JsonObject => {
  const found = isJsonObject(value) ? value[key] : undefined
  return isJsonObject(found) ? found : {}
}

const textIn = (value: JsonObject, key: string): string | undefined => {
  const found = value[key]
  return typeof found === "string" && found !== "" ? found : undefined
}

const fileIdsIn = ({ files }: JsonObject): ReadonlyArray<string> =>
  Array.isArray(files)
    ? files.flatMap((file) => (isJsonObject(file) && typeof file.id === "string" ? [file.id] : []))
    : []

/** Which field of a document a question asks for. The hosted page's own ids, and the browser's names for what it may fill in. */
const meaningOf = ({ autocomplete, id }: Field): keyof Typed | undefined => {
  if (autocomplete === "given-name" || /^(?:given|first)_?names?$/i.test(id)) return "given_names"
  if (autocomplete === "family-name" || /^(?:family_?name|last_?name|surname)$/i.test(id)) return "surname"
  if (autocomplete === "bday" || /birth/i.test(id)) return "birth_date"
  return /^nationality$/i.test(id) ? "nationality" : undefined
}

type Form = Extract<KnownStep, { readonly type: "form" }>

const formsIn = (steps: ReadonlyArray<KnownStep>): ReadonlyArray<Form> =>
  steps.filter((step) => step.type === "form")

/** How many characters were typed into fields of text, by step. */
const charactersIn = (
  asked: ReadonlyArray<{ readonly step: string; readonly field: Field; readonly answer: JsonObject }>,
  document: { readonly step: string; readonly answer: JsonObject } | undefined
): ReadonlyMap<string, number> => {
  const typed = [
    ...asked.flatMap(({ answer, field, step }) =>
      field.type === "text" ? [{ step, text: textIn(answer, field.id) }] : []
    ),
    ...(document === undefined ? [] : [{ step: document.step, text: textIn(document.answer, "number") }])
  ]
  return new Map(
    [...Map.groupBy(typed, ({ step }) => step)].map(([step, texts]) => [
      step,
      texts.reduce((sum, { text = "" }) => sum + text.length, 0)
    ])
  )
}

export interface Answers {
  readonly typed: Typed
  readonly claimed: Claimed
  /** The files of selfies and of other uploads, which show no document. */
  readonly otherFiles: ReadonlySet<string>
  /** In years. */
  readonly minimumAge: number | undefined
}

/** If the workflow cannot be read, nothing can be compared. */
export const answersIn = ({ instance_workflow, progress, result }: Session): Answers => {
  const steps = Option.match(readWorkflow(instance_workflow), {
    onNone: () => [],
    onSome: ({ steps }) => (steps ?? defaultWorkflow.steps).filter(isKnown)
  })
  const answerTo = ({ id }: KnownStep): JsonObject => objectIn(progress, `s_${id}`)
  const asked = formsIn(steps).flatMap((step) =>
    (step.fields ?? []).map((field) => ({
      step: step.id,
      field,
      answer: answerTo(step),
      means: meaningOf(field)
    }))
  )
  const entered = Object.fromEntries(
    asked.flatMap(({ answer, field, means }) => {
      const text = textIn(answer, field.id)
      return means === undefined || text === undefined ? [] : [[means, text] as const]
    })
  )
  const [document] = steps
    .filter(({ type }) => type === "document")
    .map((step) => ({ step: step.id, answer: answerTo(step) }))
  // The document's number is not in the progress if duplicates are looked for, but always in the result.
  const submitted = objectIn(result, "document")
  const number = textIn(submitted, "number") ?? textIn(document?.answer ?? {}, "number")
  const expiry = textIn(submitted, "expiry") ?? textIn(document?.answer ?? {}, "expiry")
  const ages = asked.flatMap(({ field, means }) =>
    means === "birth_date" && field.type === "date" && typeof field.minAge === "number" ? [field.minAge] : []
  )
  return {
    claimed: {
      characters: charactersIn(asked, document),
      timeZone: textIn(objectIn(result, "client"), "tz"),
      country: textIn(document?.answer ?? {}, "country")
    },
    typed: { ...entered, document_number: number, expiry_date: expiry },
    otherFiles: new Set(
      steps
        .filter(({ type }) => type === "selfie" || type === "upload")
        .flatMap((step) => fileIdsIn(answerTo(step)))
    ),
    minimumAge: ages.length === 0 ? undefined : Math.max(...ages)
  }
}
