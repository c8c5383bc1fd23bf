import { Effect } from "effect"
import { Config } from "../../config.ts"
import { afterCommit } from "../../db/sql.ts"
import { kycSessions } from "../../observability/metrics.ts"
import { newToken, tokenHash } from "../../secrets/token.ts"
import { newId } from "../../shared/identifier.ts"
import type { JsonObject } from "../../shared/schemas.ts"
import { carriedProgress, type Restricted } from "./restricted-workflow-model.ts"
import { SuccessorRepo } from "./successor-repo.ts"

/** The default lifetime of a successor: the end user does not expect it. Seven days, in seconds. */
const defaultLifeSeconds = 604_800

interface Previous {
  readonly id: string
  readonly progress: JsonObject
  readonly metadata: JsonObject | null
}

/** Sessions that ask for some steps of an earlier session again (contract.md#reviews). */
export class Successors extends Effect.Service<Successors>()("Successors", {
  dependencies: [SuccessorRepo.Default],
  effect: Effect.gen(function* () {
    const { appUrl } = yield* Config
    const repo = yield* SuccessorRepo

    /** For the transaction that decides on the previous session. Returns the new session's id and where to send the end user. */
    const create = Effect.fnUntraced(function* (
      previous: Previous,
      restricted: Restricted,
      expiresInSeconds = defaultLifeSeconds
    ) {
      const id = newId()
      const token = newToken("kyc_sess_")
      yield* repo.insert({
        ...restricted,
        id,
        previousId: previous.id,
        versionId: newId(),
        metadata: previous.metadata,
        progress: carriedProgress(previous.progress, restricted.steps),
        tokenHash: tokenHash(token),
        expiresInSeconds
      })
      yield* afterCommit(() => kycSessions.created.add())
      return { id, verificationUrl: `${appUrl}/kyc/session/${id}?token=${token}` }
    })

    return { create }
  })
}) {}
