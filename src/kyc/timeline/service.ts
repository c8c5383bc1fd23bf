import * as Effect from "effect/Effect"
import { parseId } from "../../secrets/identifier.ts"
import { SessionNotFound } from "../sessions/errors.ts"
import { TimelineRepo } from "./repo.ts"

/** What happened in the sessions of a company. Nothing is noted for it: it is told from what is stored anyway. */
export class Timelines extends Effect.Service<Timelines>()("Timelines", {
  effect: Effect.gen(function* () {
    const repo = yield* TimelineRepo

    /** Oldest first, what is still to come last. Fails with `SessionNotFound`, also for a session of another company. */
    const get = Effect.fnUntraced(function* (companyId: string, sessionId: string) {
      const id = parseId(sessionId)
      const events = id === undefined ? [] : yield* repo.list(companyId, id)
      // Every session was created.
      return events.length === 0 ? yield* new SessionNotFound() : events
    })

    return { get }
  })
}) {}
