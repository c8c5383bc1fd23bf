/**
 * Uploaded files of steps that are not yet submitted: the server has them, but the session's progress does not. Until
 * the session ends, the tab stores which files they are and what was asked of them, but no other input.
 */
import { isObject, type Json, object } from "../../json.ts"
import type { Answers } from "../instances/rules.ts"
import type { Session } from "../sessions/session.ts"
import { tab } from "../sessions/token.ts"

/** The files of a draft, and what is needed to continue with them. */
const filesOf = ({ asked, files, nonce }: Json): Json => ({
  files,
  ...(asked === undefined ? undefined : { asked }),
  ...(nonce === undefined ? undefined : { nonce })
})

export interface ReceivedFiles {
  /** @param rev the revision of the server's progress */
  readonly keep: (rev: number, drafts: Answers) => void
  /** The files by step; none if something was saved elsewhere, because the saved progress then wins. */
  readonly find: (rev: number) => Answers
  readonly forget: () => void
}

export const receivedFiles = ({ id }: Session): ReceivedFiles => {
  const key = `kyc:${id}:files`

  const read = (): Json => {
    try {
      return object(JSON.parse(tab.read(key) ?? "{}"))
    } catch {
      return {}
    }
  }

  return {
    keep: (rev, drafts) => {
      const steps = Object.entries(drafts).flatMap(([step, draft]) =>
        Array.isArray(draft.files) ? [[step, filesOf(draft)] as const] : []
      )
      if (steps.length === 0) tab.forget(key)
      else tab.write(key, JSON.stringify({ rev, steps: Object.fromEntries(steps) }))
    },
    find: (rev) => {
      const { rev: kept, steps } = read()
      if (kept !== rev) return {}
      return Object.fromEntries(
        Object.entries(object(steps)).flatMap(([step, draft]) => (isObject(draft) ? [[step, draft]] : []))
      )
    },
    forget: () => tab.forget(key)
  }
}
