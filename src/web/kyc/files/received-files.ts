/** Until the session ends, the tab lists the uploaded files of unsubmitted steps, but no other input. */
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
    /** By step; none if something was saved elsewhere, because that wins. */
    find: (rev: number): Answers => {
      const { rev: kept, steps } = object(parse(tab.read(key) ?? ""))
      return kept === rev ? readAnswers(steps) : {}
    },
    forget: () => tab.forget(key)
  }
}
