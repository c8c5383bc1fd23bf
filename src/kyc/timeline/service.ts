import { Effect } from "effect"
import { parseId } from "../../secrets/identifier.ts"
import { SessionNotFound } from "../sessions/errors.ts"
import { TimelineRepo } from "./repo.ts"

/** The timeline of a company's session. It derives from data that is stored anyway. */
export class Timelines extends Effect.Service<Timelines>()("Timelines", {
  effect: Effect.gen(function* () {
    const repo = yield* TimelineRepo

    /** Oldest first, future events last. Fails with `SessionNotFound`, also for a session of another company. */
    const get = Effect.fnUntraced(function* (companyId: string, sessionId: string) {
      const id = parseId(sessionId)
      const events = id === undefined ? [] : yield* repo.list(companyId, id)
      // Every session has at least its creation event.
      return events.length === 0 ? yield* new SessionNotFound() : events
    })

    return { get }
  })
}) {}
