import { Cause, Effect, Option } from "effect"
import { failsAgain } from "../../db/sql.ts"
import { KeyedMutex } from "../../shared/keyed-mutex.ts"
import type { SessionKey } from "./model.ts"

/** A failure of the database that is not that of the statement: what waits would wait for the same row. */
const unanswered = (cause: Cause.Cause<unknown>): Cause.Cause<never> | undefined =>
  failsAgain(cause) ? undefined : Option.getOrUndefined(Cause.keepDefects(cause))

/**
 * Lets what locks the row of one session run one after another in this process: each would otherwise wait for the lock on a connection, and
 * one session could occupy all of them. If the database does not answer, what waits fails with it. What a browser writes is ordered by
 * `writes-repo`.
 */
export class SessionMutex extends Effect.Service<SessionMutex>()("SessionMutex", {
  sync: () => {
    const mutex = new KeyedMutex(unanswered)
    return {
      /** By the token, too: who holds an old link must not delay what a newer one does. */
      withLock: ({ id, tokenHash }: SessionKey) => mutex.withLock(`${id} ${tokenHash.toHex()}`)
    }
  }
}) {}
