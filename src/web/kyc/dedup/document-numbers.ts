/**
 * Document numbers, where duplicates are looked for: the tab remembers them, and the server has only their key hash, until the
 * end of the session.
 */

import { type Json, text } from "../../json.ts"
import type { Session } from "../sessions/session.ts"
import { tab } from "../sessions/token.ts"
import { keyHash } from "./identity.ts"

export interface DocumentNumbers {
  readonly keep: (stepId: string, value: string) => void
  /**
   * The number of a step. Where the step has been answered, only the one that it was answered with: the tab may remember
   * another, of a try that was given up, or of before the step was answered anew in another tab or on another device.
   */
  readonly find: (stepId: string, answer: Json | undefined) => string | undefined
  /** Those of all steps, by the step. */
  readonly all: (answers: Readonly<Record<string, Json>>) => Readonly<Record<string, string>>
  readonly forget: () => void
}

export const documentNumbers = ({ dedupScope, id, workflow }: Session): DocumentNumbers => {
  // No step is called so: there is no colon in the id of one.
  const keyOf = (stepId: string) => `kyc:${id}:number:${stepId}`

  const find: DocumentNumbers["find"] = (stepId, answer = {}) => {
    const value = tab.read(keyOf(stepId))
    const answered = text(answer.keyHash)
    if (value === undefined || answered === undefined) return value
    const [country, type] = [text(answer.country) ?? "", text(answer.type) ?? ""]
    const hash = keyHash(dedupScope, { kind: "document", country, type, number: value })
    return hash === answered ? value : undefined
  }

  return {
    keep: (stepId, value) => tab.write(keyOf(stepId), value),
    find,
    all: (answers) =>
      Object.fromEntries(
        workflow.steps.flatMap((step) => {
          const known = find(step.id, answers[step.id])
          return known === undefined ? [] : [[step.id, known]]
        })
      ),
    forget: () => {
      for (const step of workflow.steps) tab.forget(keyOf(step.id))
    }
  }
}
