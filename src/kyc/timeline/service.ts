import { Effect } from "effect"
import { idOr } from "../../shared/found.ts"
import { noSession } from "../sessions/errors.ts"
import { TimelineRepo } from "./repo.ts"

/** The timeline of a company's session. It derives from data that is stored anyway. */
export class Timelines extends Effect.Service<Timelines>()("Timelines", {
  dependencies: [TimelineRepo.Default],
  effect: Effect.gen(function* () {
    const repo = yield* TimelineRepo

    /** Oldest first, future events last. Fails with `SessionNotFound`, also for a session of another company. */
    const get = (companyId: string, sessionId: string) =>
      idOr(sessionId, noSession).pipe(
        Effect.flatMap((id) => repo.list(companyId, id)),
        // Every session has at least its creation event.
        Effect.filterOrFail((events) => events.length > 0, noSession)
      )

    return { get }
  })
}) {}
