/** The result that the page submits at the end. */
import { type Json, list, object, text } from "../../json.ts"
import { foundKey } from "../dedup/duplicate.ts"
import type { Step } from "../instances/workflow.ts"
import { readFiles } from "./answers.ts"
import type { Session } from "./session.ts"

export interface StepTime {
  readonly id: string
  readonly ms: number
  /** How often the step was submitted before it was accepted. */
  readonly retries: number
}

interface FlowRecord {
  readonly session: Session
  readonly locale: string
  readonly answers: Readonly<Record<string, Json>>
  /** Document numbers by step. */
  readonly numbers: Readonly<Record<string, string>>
  readonly times: ReadonlyArray<StepTime>
  readonly camera: string
  readonly handedOver: boolean
}

const documentOf = (answer: Json, known: string | undefined): Json => {
  const { dedup, keyHash, last3, zone, ...document } = answer
  const documentNumber = text(document.number) ?? known
  return {
    ...document,
    number: documentNumber ?? null,
    ...(documentNumber === undefined && last3 !== undefined ? { last3 } : undefined)
  }
}

const dedupOf = (found: Json): Json => {
  const keyHash = text(found.keyHash)
  return keyHash === undefined ? {} : { dedup: { keyHash, ...object(found.dedup) } }
}

/** Further steps of the same type go under their own id. */
const partOf = (step: Step, answer: Json, first: boolean, known: string | undefined): Json => {
  if (answer.skipped === true) return {}
  switch (step.type) {
    case "consent":
      return { consents: list(answer.items) }
    case "form": {
      const { [foundKey]: found, ...values } = answer
      return {
        ...(step.id === "person" ? { person: values } : { forms: { [step.id]: values } }),
        ...dedupOf(object(found))
      }
    }
    case "document": {
      const document = documentOf(answer, known)
      if (!first) return { documents: { [step.id]: document } }
      return { document, ...dedupOf(answer) }
    }
    case "selfie":
      return { selfie: { nonce: answer.nonce, files: readFiles(answer.files) } }
    case "upload":
      return { uploads: { [step.id]: { files: readFiles(answer.files) } } }
    case "review":
    case "unknown":
      return {}
  }
}

/** Merges parts of the same name: the consents of several steps, and the forms by step. */
const joined = (parts: ReadonlyArray<Json>): Json => {
  const all = new Map<string, unknown>()
  for (const [key, value] of parts.flatMap((part) => Object.entries(part))) {
    const before = all.get(key)
    if (Array.isArray(before)) all.set(key, [...before, ...list(value)])
    else all.set(key, before === undefined ? value : { ...object(before), ...object(value) })
  }
  return Object.fromEntries(all)
}

/** `failureCode` is null if the session succeeded. */
export const resultOf = (record: FlowRecord, failureCode: string | null): Json => {
  const { answers, camera, handedOver, locale, numbers, session, times } = record
  const { id, steps, version } = session.workflow
  const firstDocument = steps.find(({ type }) => type === "document")
  const parts = steps.map((step) => {
    const answer = answers[step.id]
    return answer === undefined ? {} : partOf(step, answer, step === firstDocument, numbers[step.id])
  })
  return {
    v: 1,
    workflow: { id, version, sha256: session.workflowHash },
    locale,
    outcome: failureCode === null ? "submitted" : "ended",
    failureCode,
    ...joined(parts),
    client: {
      secureContext: isSecureContext,
      camera,
      handoff: handedOver,
      tz: Intl.DateTimeFormat().resolvedOptions().timeZone,
      steps: times
    }
  }
}
