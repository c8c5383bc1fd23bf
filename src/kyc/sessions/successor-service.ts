import { Clock, Effect, Option } from "effect"
import type { Actor } from "../../audit/model.ts"
import { Config } from "../../config.ts"
import { afterCommit } from "../../db/sql.ts"
import { kycSessions } from "../../observability/metrics.ts"
import { newToken, tokenHash } from "../../secrets/token.ts"
import { newId } from "../../shared/identifier.ts"
import { workflowOf } from "./answers-model.ts"
import { dedupRules } from "./compared-model.ts"
import { SessionNotUpdatable } from "./errors.ts"
import { isLookedFor } from "./judgement-model.ts"
import { SessionKeys } from "./keys-service.ts"
import { carriedProgress, carriedResults, type Restricted } from "./restricted-workflow-model.ts"
import { sealMetadata, sealProgress } from "./sealing-model.ts"
import { fieldHash, stepResults } from "./step-results-model.ts"
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
      const { config, file_ids, missing_steps, workflow, ...stored } = yield* Effect.flatMap(
        repo.findPrevious(previousId),
        Effect.orDie
      )
      const previous = keys.read(stored)
      if (previous.progress === null) return yield* new SessionNotUpdatable()
      const progress = carriedProgress(previous.progress, restricted.steps)
      const now = yield* Clock.currentTimeMillis
      const id = newId()
      const token = newToken("kyc_sess_")
      const hash = tokenHash(token)
      const { key, sealed } = keys.make(stored.company_id, id)
      const whole = Option.getOrUndefined(workflowOf(workflow))
      const dedup = dedupRules(config, stored.company_id)
      yield* repo.insert({
        ...restricted,
        id,
        shownTo,
        previousId,
        versionId: newId(),
        progress: sealProgress(key, progress),
        results: carriedResults(
          whole === undefined
            ? {}
            : stepResults(whole, progress, { dedup, now: new Date(now), hash: fieldHash(key) }),
          missing_steps ?? [],
          file_ids
        ),
        carriesSightings: !(whole?.steps ?? []).some(
          (step) => restricted.steps.includes(step.id) && isLookedFor(step, dedup)
        ),
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
