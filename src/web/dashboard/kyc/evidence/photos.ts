/** A session's photos and files, and what they show. */
import { type FileNamed, filesNamed } from "../../../../kyc/sessions/files-named-model.ts"
import { type Json, text } from "../../../json.ts"
import type { Step } from "../../../kyc/instances/workflow.ts"
import type { Answer } from "../../common/call.ts"
import { answerTo, documentNames, type SessionRead, stepsOf, titleOf } from "./session-steps.ts"

type StoredFile = Answer<"files.list">["files"][number]

export interface Photo {
  readonly id: string
  /** What it shows: `Front of passport`. */
  readonly what: string
  /** The same within its kind: `Front`. */
  readonly short: string
  readonly kind: "document" | "selfie" | "other"
  /** Whether it belongs to an answer from the session before. */
  readonly carried: boolean
  readonly type: StoredFile["content_type"]
  /** Bytes. */
  readonly size: number
}

const poses: ReadonlyMap<string, string> = new Map([
  ["straight", "Straight"],
  ["left", "Left"],
  ["right", "Right"],
  ["up", "Up"],
  ["down", "Down"]
])

const sides: ReadonlyMap<string, string> = new Map([
  ["front", "Front"],
  ["back", "Back"]
])

const whatItShows = (step: Step, answer: Json, file: FileNamed): Pick<Photo, "kind" | "short" | "what"> => {
  if (step.type === "selfie") {
    const pose = poses.get(text(file.prompt) ?? "")
    return {
      kind: "selfie",
      what: pose === undefined ? "Selfie" : `Selfie: ${pose.toLowerCase()}`,
      short: pose ?? "Selfie"
    }
  }
  if (step.type !== "document") return { kind: "other", what: titleOf(step), short: titleOf(step) }
  const type = text(file.document) ?? text(answer.type) ?? ""
  const name = documentNames.get(type) ?? "Document"
  const side = sides.get(text(file.side) ?? "")
  if (side === undefined) return { kind: "document", what: name, short: name }
  // Of a passport, one page is photographed.
  const short = type === "passport" && side === "Front" ? "Photo page" : side
  return { kind: "document", what: `${short} of ${name.toLowerCase()}`, short }
}

/** Only these steps ask for files. Other answers may have `files`, too, which the server does not count. */
const asksForFiles = ({ type }: Step): boolean =>
  type === "document" || type === "selfie" || type === "upload"

/** What a file shows that no step names, or more than one, is not known. */
const ofNoStep = { kind: "other", what: "Named by no step", short: "No step" } as const
const ofTwoSteps = { kind: "other", what: "Named by two steps", short: "Two steps" } as const

/** The session's files: those of the steps in their order, then the others. The result says nothing of them: whoever holds the link writes it. */
export const photosOf = (session: SessionRead, files: ReadonlyArray<StoredFile>): ReadonlyArray<Photo> => {
  const named = stepsOf(session)
    .filter(asksForFiles)
    .flatMap((step) => {
      const answer = answerTo(session, step)
      return filesNamed(answer).map((file) => ({ file, step, answer }))
    })
  const shows = (id: string) => {
    const [first, ...others] = named.filter(({ file }) => file.id === id)
    if (first === undefined) return ofNoStep
    const { answer, file, step } = first
    return others.some((other) => other.step !== step) ? ofTwoSteps : whatItShows(step, answer, file)
  }
  const place = ({ id }: StoredFile) => {
    const index = named.findIndex(({ file }) => file.id === id)
    return index === -1 ? named.length : index
  }
  return files
    .toSorted((left, right) => place(left) - place(right))
    .map(({ content_type, id, session_id, size }) => ({
      ...shows(id),
      id,
      carried: session_id !== session.id,
      type: content_type,
      size
    }))
}
