import { Effect } from "effect"
import { foundOr, idOr } from "../../shared/found.ts"
import { noSession } from "../sessions/errors.ts"
import { DedupMatchRepo } from "./matches-repo.ts"

/** The other sessions of the same document or person. */
export class DedupMatches extends Effect.Service<DedupMatches>()("DedupMatches", {
  dependencies: [DedupMatchRepo.Default],
  effect: Effect.gen(function* () {
    const repo = yield* DedupMatchRepo

    /** Newest first, at most 20. Fails with `SessionNotFound`, also for a session of another company. */
    const list = Effect.fnUntraced(function* (companyId: string, sessionId: string) {
      const { id } = yield* idOr(sessionId, noSession).pipe(
        Effect.flatMap((known) => repo.findSession(companyId, known)),
        foundOr(noSession)
      )
      return yield* repo.list(companyId, id)
    })

    return { list }
  })
}) {}
