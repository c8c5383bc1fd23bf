/** A session's photos and files, and what they show. */
import { isObject, type Json, objects, text } from "../../../json.ts"
import type { Step } from "../../../kyc/instances/workflow.ts"
import type { Answer } from "../../common/contract.ts"
import { labelOf } from "../../common/words.ts"
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

const poses: Readonly<Record<string, string>> = {
  straight: "Straight",
  left: "Left",
  right: "Right",
  up: "Up",
  down: "Down"
}

const whatItShows = (step: Step, answer: Json, file: Json): Pick<Photo, "kind" | "short" | "what"> => {
  if (step.type === "selfie") {
    const pose = poses[text(file.prompt) ?? ""]
    return {
      kind: "selfie",
      what: pose === undefined ? "Selfie" : `Selfie: ${pose.toLowerCase()}`,
      short: pose ?? "Selfie"
    }
  }
  if (step.type !== "document") return { kind: "other", what: titleOf(step), short: titleOf(step) }
  const type = text(file.document) ?? text(answer.type) ?? ""
  const name = documentNames[type] ?? "Document"
  const side = text(file.side)
  if (side === undefined) return { kind: "document", what: name, short: name }
  // Of a passport, one page is photographed.
  const short = type === "passport" && side === "front" ? "Photo page" : labelOf(side)
  return { kind: "document", what: `${short} of ${name.toLowerCase()}`, short }
}

/** Where a file is mentioned in JSON of any shape, by its id: `Document · Front`. */
const mentions = (value: unknown): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  const visit = (at: unknown, place: ReadonlyArray<string>): void => {
    if (Array.isArray(at)) for (const item of at) visit(item, place)
    if (!isObject(at)) return
    const name = [at.side, at.prompt, at.name].find((part) => typeof part === "string")
    if (typeof at.id === "string") {
      const words = [...place.filter((key) => key !== "files"), ...(typeof name === "string" ? [name] : [])]
      found.set(at.id, words.map(labelOf).join(" · "))
    }
    for (const [key, inner] of Object.entries(at)) visit(inner, [...place, key.replace(/^s_/, "")])
  }
  visit(value, [])
  return found
}

const kindIn = (mention: string): Photo["kind"] =>
  /selfie/i.test(mention) ? "selfie" : /document/i.test(mention) ? "document" : "other"

/** The session's files: those of the steps in their order, then those that only the result names, then the others. */
export const photosOf = (session: SessionRead, files: ReadonlyArray<StoredFile>): ReadonlyArray<Photo> => {
  const inSteps = stepsOf(session).flatMap((step) => {
    const answer = answerTo(session, step)
    return objects(answer.files).map((file) => ({ id: file.id, ...whatItShows(step, answer, file) }))
  })
  const inResult = mentions(session.result)
  const described = files.map(({ content_type, id, session_id, size }): Photo => {
    const carried = session_id !== session.id
    const known = inSteps.find((one) => one.id === id)
    const mention = inResult.get(id) ?? ""
    const what = mention || "File without a description"
    return {
      ...(known ?? { kind: kindIn(mention), what, short: what }),
      id,
      carried,
      type: content_type,
      size
    }
  })
  const place = ({ id }: Photo) => {
    const index = inSteps.findIndex((one) => one.id === id)
    return index === -1 ? inSteps.length + (inResult.has(id) ? 0 : 1) : index
  }
  return described.toSorted((left, right) => place(left) - place(right))
}
