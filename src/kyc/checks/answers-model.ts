/** Reads from the answers of a session what its photos can be compared with. */
import { isJsonObject, type JsonObject } from "../../shared/json.ts"
import { norm } from "../dedup/identity-model.ts"
import type { Field } from "../instances/workflow-model.ts"
import { type Answered, answersOf, objectIn } from "../sessions/answers-model.ts"
import { filesNamed } from "../sessions/files-named-model.ts"
import { isSame, type Typed, type TypedField } from "./comparison-model.ts"
import type { ClaimedDocument } from "./document-findings-model.ts"
import { meaningOf } from "./field-meanings-model.ts"
import type { Shows } from "./look-model.ts"
import { poses } from "./model.ts"
import type { Photo } from "./photo-findings-model.ts"
import type { Claimed } from "./signals-model.ts"

const textIn = (value: JsonObject, key: string): string | undefined => {
  const found = value[key]
  return typeof found === "string" && found.trim() !== "" ? found : undefined
}

/** In a result: what is no text is no value that anybody typed, and differs from each. */
const sentIn = (value: JsonObject, key: string): string | undefined => {
  const { [key]: found } = value
  return typeof found === "string" || found === undefined || found === null
    ? textIn(value, key)
    : JSON.stringify(found)
}

/** What a file shows, and the pose that was asked for, if it is one of those that are told apart. */
export type FileAnswer = Pick<Photo, "asked" | "shows" | "step">

const shownBy: Readonly<Partial<Record<Answered["step"]["type"], Shows>>> = {
  document: "document",
  selfie: "selfie",
  upload: "other"
}

interface Mention extends FileAnswer {
  readonly isCarried: boolean
}

const filesIn = ({ answer, isCarried, step }: Answered): ReadonlyArray<readonly [string, Mention]> => {
  const shows = shownBy[step.type]
  if (shows === undefined) return []
  return filesNamed(answer).map(({ id, prompt }) => {
    const asked = shows === "selfie" ? poses.find((pose) => pose === prompt) : undefined
    return [id, { shows, step: step.id, asked, isCarried }]
  })
}

/**
 * What shows a file that two kinds of steps name is not known, so it counts for neither. A file of a carried answer is of an earlier session, so
 * it stays what it was, whichever step names it now.
 */
const filesOf = (answered: ReadonlyArray<Answered>): ReadonlyMap<string, FileAnswer> =>
  new Map(
    [...Map.groupBy(answered.flatMap(filesIn), ([id]) => id)].map(([id, mentions]) => {
      const all = mentions.map(([, mention]) => mention)
      const carried = all.filter(({ isCarried }) => isCarried)
      const [first, ...others] = carried.length > 0 ? carried : all
      const { isCarried: _, ...found } = first ?? ({ shows: "other", step: "", isCarried: false } as const)
      return [id, others.every(({ shows }) => shows === found.shows) ? found : { ...found, shows: "other" }]
    })
  )

interface Question extends Answered {
  readonly field: Field
  readonly means: ReturnType<typeof meaningOf>
}

/** How many characters were typed into fields of text, by step. What the page may have read from a document is not counted. */
const charactersIn = (questions: ReadonlyArray<Question>): ReadonlyMap<string, number> =>
  new Map(
    [...Map.groupBy(questions, ({ step }) => step.id)].map(([step, asked]) => [
      step,
      asked
        .filter(({ field, means }) => field.type === "text" && means === undefined)
        .reduce((sum, { answer, field }) => sum + [...(textIn(answer, field.id) ?? "")].length, 0)
    ])
  )

/** Whether the config asks for the comparison of document and selfie. */
export const comparesFaces = ({ checks }: JsonObject): boolean =>
  isJsonObject(checks) && checks.similarity === true

/** The different values among what the answers give for one field. */
const differentOf = (field: TypedField, values: ReadonlyArray<string | undefined>): ReadonlyArray<string> =>
  values
    .filter((value) => value !== undefined)
    .filter((value, index, all) => all.findIndex((other) => isSame(field, other, value)) === index)

/** The stored end of a number that is not stored, because other sessions are looked for by it: it agrees with this number. */
const endsAlike = ({ last3 }: JsonObject, number: string): boolean =>
  typeof last3 !== "string" || norm(number).endsWith(last3)

/**
 * What was typed of a document. Where duplicates are looked for, its number is only in the result. A carried answer is only in `progress`: a
 * result that has another one contradicts it.
 */
const typedDocument = ({ answer, isCarried, submitted }: Answered): Typed => {
  const number = textIn(answer, "number")
  const sent = sentIn(submitted, "number")
  const isOdd = number === undefined && sent !== undefined && (isCarried || !endsAlike(answer, sent))
  const end = textIn(answer, "last3") ?? ""
  return {
    document_type: differentOf("document_type", [textIn(answer, "type"), sentIn(submitted, "type")]),
    document_number: isOdd ? [end, sent] : differentOf("document_number", [number, sent]),
    number_end: number === undefined && sent === undefined ? textIn(answer, "last3") : undefined,
    expiry_date: differentOf("expiry_date", [textIn(answer, "expiry"), sentIn(submitted, "expiry")]),
    issuer: differentOf("issuer", [textIn(answer, "country"), sentIn(submitted, "country")])
  }
}

/** A document that the session asks for. */
export interface AskedDocument extends ClaimedDocument {
  readonly step: string
  readonly typed: Typed
}

export interface Answers {
  /** Of the person. */
  readonly typed: Typed
  readonly documents: ReadonlyArray<AskedDocument>
  readonly claimed: Claimed
  /** By id, the files that steps name. No others are evidence of anything. */
  readonly files: ReadonlyMap<string, FileAnswer>
  readonly asksForSelfie: boolean
  /** In years. */
  readonly minimumAge: number | undefined
}

/** If the workflow cannot be read, nothing can be compared. */
export const answersIn = (session: Parameters<typeof answersOf>[0]): Answers => {
  const answered = answersOf(session)
  const questions: ReadonlyArray<Question> = answered.flatMap((one) =>
    one.step.type === "form"
      ? (one.step.fields ?? []).map((field) => ({ ...one, field, means: meaningOf(field) }))
      : []
  )
  const documents = answered
    .filter(({ step }) => step.type === "document")
    .map((one) => ({
      step: one.step.id,
      type: textIn(one.answer, "type") ?? textIn(one.submitted, "type"),
      country: textIn(one.answer, "country") ?? textIn(one.submitted, "country"),
      typed: typedDocument(one)
    }))
  const ages = questions.flatMap(({ field, means }) =>
    means === "birth_date" && field.type === "date" && typeof field.minAge === "number" ? [field.minAge] : []
  )
  return {
    typed: Object.fromEntries(
      [...Map.groupBy(questions, ({ means }) => means)].flatMap(([means, asked]) =>
        means === undefined
          ? []
          : [
              [
                means,
                differentOf(
                  means,
                  asked.flatMap(({ answer, field, submitted }) => [
                    textIn(answer, field.id),
                    sentIn(submitted, field.id)
                  ])
                )
              ]
            ]
      )
    ),
    documents,
    claimed: {
      characters: charactersIn(questions),
      timeZone: textIn(objectIn(session.result, "client"), "tz"),
      country: documents[0]?.country
    },
    files: filesOf(answered),
    asksForSelfie: answered.some(({ step }) => step.type === "selfie"),
    minimumAge: ages.length === 0 ? undefined : Math.max(...ages)
  }
}
