import { Effect } from "effect"
import type { Actor } from "../../audit/model.ts"
import { Config } from "../../config.ts"
import { afterCommit } from "../../db/sql.ts"
import { kycSessions } from "../../observability/metrics.ts"
import { newToken, tokenHash } from "../../secrets/token.ts"
import { newId } from "../../shared/identifier.ts"
import { SessionNotUpdatable } from "./errors.ts"
import { SessionKeys } from "./keys-service.ts"
import { carriedProgress, carriedResults, type Restricted } from "./restricted-workflow-model.ts"
import { sealMetadata, sealProgress } from "./sealing-model.ts"
import { SuccessorRepo } from "./successor-repo.ts"

/** The default lifetime of a successor: the end user does not expect it. Seven days, in seconds. */
export const successorLifeSeconds = 604_800

/** Sessions that ask for some steps of an earlier session again (contract.md#reviews). */
export class Successors extends Effect.Service<Successors>()("Successors", {
  dependencies: [SuccessorRepo.Default],
  effect: Effect.gen(function* () {
    const { appUrl } = yield* Config
    const repo = yield* SuccessorRepo
    const keys = yield* SessionKeys

    /**
     * For the transaction that decides on the previous session. Returns the new session's id and where to send the end user. Fails with
     * `SessionNotUpdatable` if the key of the previous session is missing, so that nobody knows the other answers.
     * @param shownTo who is shown the link
     */
    const create = Effect.fnUntraced(function* (
      shownTo: Actor,
      previousId: string,
      restricted: Restricted,
      expiresInSeconds = successorLifeSeconds
    ) {
      const { missing_steps, step_results, ...stored } = yield* Effect.flatMap(
        repo.findPrevious(previousId),
        Effect.orDie
      )
      const previous = keys.read(stored)
      if (previous.progress === null) return yield* new SessionNotUpdatable()
      const id = newId()
      const token = newToken("kyc_sess_")
      const hash = tokenHash(token)
      const { key, sealed } = keys.make(stored.company_id, { id, tokenHash: hash })
      yield* repo.insert({
        ...restricted,
        id,
        shownTo,
        previousId,
        versionId: newId(),
        progress: sealProgress(key, carriedProgress(previous.progress, restricted.steps)),
        results: carriedResults(step_results, restricted.steps, missing_steps ?? []),
        metadata: sealMetadata(key, previous.metadata),
        key: sealed,
        tokenHash: hash,
        expiresInSeconds
      })
      yield* afterCommit(() => kycSessions.created.add())
      return { id, verificationUrl: `${appUrl}/kyc/session/${id}?token=${token}` }
    })

    return { create }
  })
}) {}
