import { Effect } from "effect"
import { batchedUses } from "../batched-uses.ts"
import { AccountRepo } from "./repo.ts"

/**
 * Records the use of dashboard sessions, which keeps them alive. A session lives for days after its last use, so a process may lose the
 * last uses when it ends: the next use is recorded instead.
 */
export class LastSeen extends Effect.Service<LastSeen>()("LastSeen", {
  scoped: Effect.gen(function* () {
    const { markSeen } = yield* AccountRepo
    const touch = yield* batchedUses({
      write: markSeen,
      retryAfter: "1 minute",
      warning: "It could not be written that dashboard sessions are used; trying again in a minute",
      writesAtEnd: false
    })
    return { touch }
  })
}) {}
