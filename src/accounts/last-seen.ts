import * as Effect from "effect/Effect"
import { batchedUses } from "../batched-uses.ts"
import { AccountRepo } from "./repo.ts"

/**
 * Records that dashboard sessions are used, which keeps them alive. They live for days after their last use, so a process that ends may
 * lose the uses of its last moment: the next use is recorded in their place.
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
