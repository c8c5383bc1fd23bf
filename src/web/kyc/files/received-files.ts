/**
 * Uploaded files of steps that are not yet submitted: the server has them, but the session's progress does not. Until
 * the session ends, the tab stores which files they are and what was asked of them, but no other input.
 */
import { object, parse } from "../../json.ts"
import { type Answers, readAnswers } from "../instances/rules.ts"
import type { Session } from "../sessions/session.ts"
import { tab } from "../sessions/token.ts"

export const receivedFiles = ({ id }: Session) => {
  const key = `kyc:${id}:files`

  return {
    /** @param rev the revision of the server's progress */
    keep: (rev: number, drafts: Answers) => {
      const steps = Object.entries(drafts).flatMap(([step, { asked, files, nonce }]) =>
        Array.isArray(files) ? [[step, { asked, files, nonce }] as const] : []
      )
      if (steps.length === 0) tab.forget(key)
      else tab.write(key, JSON.stringify({ rev, steps: Object.fromEntries(steps) }))
    },
    /** The files by step; none if something was saved elsewhere, because the saved progress then wins. */
    find: (rev: number): Answers => {
      const { rev: kept, steps } = object(parse(tab.read(key) ?? ""))
      return kept === rev ? readAnswers(steps) : {}
    },
    forget: () => tab.forget(key)
  }
}
