/** The answers to steps, as the session's progress stores them. */
import { type Json, number, object, objects, oneOf, text } from "../../json.ts"
import type { StoredFile } from "../api.ts"
import { type Answers, readAnswers } from "../instances/rules.ts"
import { documentTypes, type Step } from "../instances/workflow.ts"

const readFile = (file: Json) => ({
  id: text(file.id) ?? "",
  sha256: text(file.sha256) ?? "",
  name: text(file.name),
  /** `front` or `back` of a document. */
  side: text(file.side),
  /** The type of document in the photo. */
  document: text(file.document),
  prompt: text(file.prompt),
  w: number(file.w),
  h: number(file.h),
  /** The sharpness: low if blurred. */
  blur: number(file.blur),
  at: text(file.at) ?? ""
})

/** An uploaded file, with what the page noted about it. */
export type FileAnswer = Partial<ReturnType<typeof readFile>> & StoredFile

export const readFiles = (value: unknown): ReadonlyArray<FileAnswer> =>
  objects(value)
    .map(readFile)
    .filter(({ id }) => id !== "")

export const readDocument = (answer: Json) => ({
  type: oneOf(answer.type, documentTypes) ?? ("" as const),
  country: text(answer.country) ?? "",
  number: text(answer.number) ?? "",
  expiry: text(answer.expiry) ?? "",
  zone: text(answer.zone) ?? "",
  files: readFiles(answer.files),
  /** The end of a document number that is not stored. */
  last3: text(answer.last3) ?? ""
})
export type DocumentDraft = ReturnType<typeof readDocument>

export const photosOf = ({ files, type }: Pick<DocumentDraft, "files" | "type">): ReadonlyArray<FileAnswer> =>
  files.filter(({ document }) => document === undefined || document === type)

/** The poses of a selfie: the first one, and a random choice of the others. */
export const prompts = ["straight", "left", "right", "up", "down"] as const
export type Prompt = (typeof prompts)[number]

/** The key of a step's unfinished input in the progress; null once the step is answered. */
export const draftKey = (stepId: string): string => `d_${stepId}`

/** The key of a step's answer in the progress. */
export const progressKey = (stepId: string): string => `s_${stepId}`

export const restoreDrafts = (steps: ReadonlyArray<Step>, progress: Json): Answers =>
  readAnswers(Object.fromEntries(steps.map(({ id }) => [id, progress[draftKey(id)]])))

export const restore = (steps: ReadonlyArray<Step>, progress: Json): Answers =>
  readAnswers(Object.fromEntries(steps.map(({ id }) => [id, progress[progressKey(id)]])))

/** `secret`: the document number that only the tab stores, if duplicates are checked. */
export const isAnswered = (step: Step, answer: Json | undefined, secret: string | undefined): boolean => {
  if (answer === undefined) return false
  if (answer.skipped === true) return true
  switch (step.type) {
    case "document": {
      const { country, files, number: documentNumber, type } = readDocument(answer)
      const numbered = !step.asksNumber || documentNumber !== "" || secret !== undefined
      return (
        type !== "" &&
        country !== "" &&
        numbered &&
        photosOf({ files, type }).length >= step.sidesOf(type).length
      )
    }
    case "consent": {
      const accepted = objects(answer.items).map(({ id }) => id)
      return step.items.every(({ id, required }) => !required || accepted.includes(id))
    }
    case "form": {
      const values = object(answer)
      return step.fields.every(({ id, required }) => !required || text(values[id]) !== undefined)
    }
    case "selfie":
    case "upload":
      return readFiles(answer.files).length > 0
    case "review":
    case "unknown":
      return false
  }
}
