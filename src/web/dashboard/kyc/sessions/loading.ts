import { doorlock } from "../../common/call.ts"
import { loadEvidence } from "../evidence/evidence.tsx"

/** What the page of a session and its report show. */
export const loadSession = async (id: string, signal: AbortSignal) => {
  const [evidence, { options, review }, { notes }] = await Promise.all([
    loadEvidence(id, signal),
    doorlock.reviews.get(id, { signal }),
    doorlock.reviews.listNotes(id, { signal })
  ])
  return { ...evidence, notes, options, review }
}
