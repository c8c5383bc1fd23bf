/** Reads from the answers of a session what its photos can be compared with. */
import { Option } from "effect"
import { isJsonObject, type JsonObject } from "../../shared/json.ts"
import { defaultWorkflow } from "../instances/default-workflow-model.ts"
import { type Field, isKnown, type KnownStep, readWorkflow } from "../instances/workflow-model.ts"
import type { Typed } from "./comparison-model.ts"
import type { ClaimedDocument } from "./document-findings-model.ts"
import { meaningOf } from "./field-meanings-model.ts"
import type { Shows } from "./look-model.ts"
import { poses } from "./model.ts"
import type { Photo } from "./photo-findings-model.ts"
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

/** What a file shows, and the pose that was asked for, if it is one of those that are told apart. */
export type FileAnswer = Pick<Photo, "asked" | "shows">

const filesIn = ({ files }: JsonObject, shows: Shows): ReadonlyArray<readonly [string, FileAnswer]> =>
  (Array.isArray(files) ? files.filter(isJsonObject) : []).flatMap(({ id, prompt }) => {
    const asked = shows === "selfie" ? poses.find((pose) => pose === prompt) : undefined
    return typeof id === "string" ? [[id, { shows, asked }] as const] : []
  })

type Form = Extract<KnownStep, { readonly type: "form" }>

const formsIn = (steps: ReadonlyArray<KnownStep>): ReadonlyArray<Form> =>
  steps.filter((step) => step.type === "form")

interface Asked {
  readonly step: string
  readonly field: Field
  readonly answer: JsonObject
  readonly means: ReturnType<typeof meaningOf>
}

/** How many characters were typed into fields of text, by step. What the page may have read from a document is not counted. */
const charactersIn = (asked: ReadonlyArray<Asked>): ReadonlyMap<string, number> =>
  new Map(
    [...Map.groupBy(asked, ({ step }) => step)].map(([step, questions]) => [
      step,
      questions
        .filter(({ field, means }) => field.type === "text" && means === undefined)
        .reduce((sum, { answer, field }) => sum + (textIn(answer, field.id) ?? "").length, 0)
    ])
  )

/** Whether the config asks for the comparison of document and selfie. */
export const comparesFaces = ({ checks }: JsonObject): boolean =>
  isJsonObject(checks) && checks.similarity === true

export interface Answers {
  readonly typed: Typed
  readonly claimed: Claimed & ClaimedDocument
  /** By id, the files of selfies and of other uploads. The others may show a document. */
  readonly files: ReadonlyMap<string, FileAnswer>
  readonly asksForSelfie: boolean
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
  const asked: ReadonlyArray<Asked> = formsIn(steps).flatMap((step) =>
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
  const [document = {}] = steps.filter(({ type }) => type === "document").map(answerTo)
  // The document's number is not in the progress if duplicates are looked for, but always in the result.
  const submitted = objectIn(result, "document")
  const number = textIn(submitted, "number") ?? textIn(document, "number")
  const expiry = textIn(submitted, "expiry") ?? textIn(document, "expiry")
  const ages = asked.flatMap(({ field, means }) =>
    means === "birth_date" && field.type === "date" && typeof field.minAge === "number" ? [field.minAge] : []
  )
  return {
    claimed: {
      characters: charactersIn(asked),
      timeZone: textIn(objectIn(result, "client"), "tz"),
      country: textIn(document, "country"),
      type: textIn(submitted, "type") ?? textIn(document, "type")
    },
    typed: { ...entered, document_number: number, expiry_date: expiry },
    files: new Map(
      steps.flatMap((step) => {
        if (step.type === "selfie") return filesIn(answerTo(step), "selfie")
        return step.type === "upload" ? filesIn(answerTo(step), "other") : []
      })
    ),
    asksForSelfie: steps.some(({ type }) => type === "selfie"),
    minimumAge: ages.length === 0 ? undefined : Math.max(...ages)
  }
}
