/** Document numbers in sessions with duplicate checks: only the tab stores them, until the session ends. */
import { type Json, text } from "../../json.ts"
import type { Answers } from "../instances/rules.ts"
import type { Session } from "../sessions/session.ts"
import { tab } from "../sessions/token.ts"
import { keyHash } from "./duplicate.ts"

export const documentNumbers = ({ dedupScope, id, workflow }: Session) => {
  // No step has such an id: step ids contain no colon.
  const keyOf = (stepId: string) => `kyc:${id}:number:${stepId}`

  /** For an answered step, only the number in that answer: the tab may store an older or abandoned one. */
  const find = (stepId: string, answer: Json = {}): string | undefined => {
    const value = tab.read(keyOf(stepId))
    const answered = text(answer.keyHash)
    if (value === undefined || answered === undefined) return value
    const [country, type] = [text(answer.country) ?? "", text(answer.type) ?? ""]
    const hash = keyHash(dedupScope, { kind: "document", country, type, number: value })
    return hash === answered ? value : undefined
  }

  return {
    keep: (stepId: string, value: string) => tab.write(keyOf(stepId), value),
    find,
    /** By step. */
    all: (answers: Answers): Readonly<Record<string, string>> =>
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
