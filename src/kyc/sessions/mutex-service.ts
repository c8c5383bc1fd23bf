import { Effect } from "effect"
import { KeyedMutex } from "../../shared/keyed-mutex.ts"
import type { SessionKey } from "./model.ts"

/**
 * Lets what locks the row of one session run one after another in this process: each would otherwise wait for the lock on a connection, and
 * one session could occupy all of them. What a browser writes is ordered by `writes-repo`.
 */
export class SessionMutex extends Effect.Service<SessionMutex>()("SessionMutex", {
  sync: () => {
    const mutex = new KeyedMutex()
    return {
      /** By the token, too: who holds an old link must not delay what a newer one does. */
      withLock: ({ id, tokenHash }: SessionKey) => mutex.withLock(`${id} ${tokenHash.toHex()}`)
    }
  }
}) {}
