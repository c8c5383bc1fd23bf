import { Cause, Effect, Option, Schema } from "effect"
import { failsAgain } from "../../db/sql.ts"
import { workKind } from "../../work/model.ts"
import { checkWork } from "./model.ts"
import { Checks } from "./service.ts"

/** How often a session is looked at if the store does not give its files. */
const tries = 3

/** Milliseconds until the next try. */
const pause = 30_000

const later = { outcome: { kind: "again", after: pause } as const, result: Option.none() }

/** Looks at the photos of a session that was completed. */
export const checking = workKind({
  name: checkWork,
  payload: Schema.Struct({ id: Schema.UUID, company_id: Schema.UUID }),
  perLane: 1,
  run: ({ attempt, payload: { company_id, id } }) =>
    Effect.flatMap(Checks, ({ make }) => make(company_id, id)).pipe(
      Effect.map((made) =>
        attempt < tries && Option.exists(made, ({ lacksFiles }) => lacksFiles)
          ? later
          : { outcome: { kind: "done" } as const, result: made }
      ),
      // Without the database nothing can be looked up, but the session is not at fault.
      Effect.catchAllCause((cause) =>
        Cause.isInterrupted(cause) || failsAgain(cause) ? Effect.failCause(cause) : Effect.succeed(later)
      )
    ),
  settle: (settled) => {
    const made = settled.flatMap(({ result }) =>
      result !== undefined && Option.isSome(result) ? [result.value] : []
    )
    return made.length === 0 ? Effect.void : Effect.flatMap(Checks, ({ store }) => Effect.asVoid(store(made)))
  }
})
