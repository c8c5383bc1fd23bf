/** The answers to steps, as the session's progress stores them, for a reload or another tab. */
import { isObject, type Json, number, object, objects, oneOf, text } from "../../json.ts"
import { type DocumentType, documentTypes, type Step } from "../instances/workflow.ts"

/** An uploaded file, with what the page noted about it. */
export interface FileAnswer {
  readonly id: string
  readonly sha256: string
  readonly name?: string
  /** `front` or `back` of a document. */
  readonly side?: string
  /** The document type in the photo. A photo of another type does not count. */
  readonly document?: string
  /** The pose that a selfie should show. */
  readonly prompt?: string
  readonly w?: number
  readonly h?: number
  /** The sharpness of a picture: low if it is blurred. */
  readonly blur?: number
  readonly at: string
}

export const readFiles = (value: unknown): ReadonlyArray<FileAnswer> =>
  objects(value).flatMap((file) => {
    const id = text(file.id)
    if (id === undefined) return []
    const [name, side, prompt] = [text(file.name), text(file.side), text(file.prompt)]
    const document = text(file.document)
    const [w, h, blur] = [number(file.w), number(file.h), number(file.blur)]
    return [
      {
        id,
        sha256: text(file.sha256) ?? "",
        at: text(file.at) ?? "",
        ...(name === undefined ? undefined : { name }),
        ...(side === undefined ? undefined : { side }),
        ...(document === undefined ? undefined : { document }),
        ...(prompt === undefined ? undefined : { prompt }),
        ...(w === undefined ? undefined : { w }),
        ...(h === undefined ? undefined : { h }),
        ...(blur === undefined ? undefined : { blur })
      }
    ]
  })

export interface DocumentDraft {
  readonly type: DocumentType | ""
  readonly country: string
  readonly number: string
  readonly expiry: string
  /** The machine-readable lines as typed. */
  readonly zone: string
  readonly files: ReadonlyArray<FileAnswer>
  /** The last characters of a document number that is not stored. */
  readonly last3: string
}

export const readDocument = (answer: Json): DocumentDraft => ({
  type: oneOf(answer.type, documentTypes) ?? "",
  country: text(answer.country) ?? "",
  number: text(answer.number) ?? "",
  expiry: text(answer.expiry) ?? "",
  zone: text(answer.zone) ?? "",
  files: readFiles(answer.files),
  last3: text(answer.last3) ?? ""
})

/** The photos of the chosen type of document. */
export const photosOf = ({ files, type }: Pick<DocumentDraft, "files" | "type">): ReadonlyArray<FileAnswer> =>
  files.filter(({ document }) => document === undefined || document === type)

/** The sides of a document to photograph. */
export const sidesOf = (count: number): ReadonlyArray<"front" | "back"> =>
  count === 2 ? ["front", "back"] : ["front"]

/** The poses of a selfie. The first one always comes first; the page picks and orders the others for each selfie. */
export const prompts = ["straight", "left", "right", "up", "down"] as const
export type Prompt = (typeof prompts)[number]

/** The key of a step's answer in the session's progress. */
export const progressKey = (stepId: string): string => `s_${stepId}`

export const restore = (steps: ReadonlyArray<Step>, progress: Json): Readonly<Record<string, Json>> =>
  Object.fromEntries(
    steps.flatMap(({ id }) => {
      const answer = progress[progressKey(id)]
      return isObject(answer) ? [[id, answer]] : []
    })
  )

/**
 * Whether a step is complete.
 *
 * @param secret a document number that only the tab stores; with duplicate checks, the progress does not contain it
 */
export const isAnswered = (step: Step, answer: Json | undefined, secret: string | undefined): boolean => {
  if (answer === undefined) return false
  if (answer.skipped === true) return true
  switch (step.type) {
    case "document": {
      const { country, files, number: documentNumber, type } = readDocument(answer)
      const numbered = !step.asksNumber || documentNumber !== "" || secret !== undefined
      return type !== "" && country !== "" && numbered && photosOf({ files, type }).length >= step.sides[type]
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
