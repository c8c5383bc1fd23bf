import { type Identity, norm, preimageOf } from "../../../kyc/dedup/identity-model.ts"
import type { SessionApi } from "../api.ts"
import type { StepOf } from "../instances/workflow.ts"
import { type Outcome, succeeded } from "../request.ts"
import type { Session } from "../sessions/session.ts"
import { sha256 } from "../sha256.ts"

/** Where a form's answer stores the result of the check; no field can have this name. */
export const foundKey = "$dedup"

/** The key hash that recognises a document or person: no number or name leaves the browser for this. `scope` separates companies. */
export const keyHash = (scope: string, identity: Identity): string => sha256(preimageOf(scope, identity))

/** Numbers that force an outcome in test mode, in normalized form. */
const forced: Readonly<Record<string, boolean>> = { TESTOK: false, TESTDUP: true, TESTFAIL: false }

export const forcesFailure = (session: Session, number: string): boolean =>
  session.test && norm(number) === "TESTFAIL"

/** Whether the step's document is looked for in other sessions. */
export const looksForDocument = ({ config: { dedup } }: Session, step: StepOf<"document">): boolean =>
  step.asksNumber && (step.dedup ?? (dedup.enabled && dedup.strategy === "document"))

/** Whether a document or person appeared in an earlier session; null if unknown. */
export const lookForDuplicate = async (
  session: Session,
  api: SessionApi,
  identity: Identity
): Promise<Outcome<{ readonly keyHash: string; readonly matchFound: boolean | null }>> => {
  const hash = keyHash(session.dedupScope, identity)
  const outcome = session.test && identity.kind === "document" ? forced[norm(identity.number)] : undefined
  if (outcome !== undefined) return succeeded({ keyHash: hash, matchFound: outcome })
  const matches = await api.matches(hash)
  if (matches.ok) return succeeded({ keyHash: hash, matchFound: matches.value })
  // At the session's limit of checks, the end user may continue, and a reviewer must decide.
  return matches.failure.kind === "exhausted" ? succeeded({ keyHash: hash, matchFound: null }) : matches
}
