import { Cause, Effect, Option, Schema } from "effect"
import { failsAgain } from "../../db/sql.ts"
import { workKind } from "../../work/model.ts"
import { checkWork } from "./model.ts"
import { readingWork } from "./readings-model.ts"
import { Readings } from "./readings-service.ts"
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
      // The machine is busy. The session is not at fault, however often that happens.
      Effect.catchTag("LookUnfinished", () => Effect.succeed(later)),
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

/** After a failure of the database. */
const soon = 1_000

/** Reads the photo of a document while the end user waits. Each photo is read once: who waits can type. */
export const reading = workKind({
  name: readingWork,
  payload: Schema.Struct({ id: Schema.UUID, session_id: Schema.UUID, company_id: Schema.UUID }),
  perLane: 1,
  run: ({ payload: { company_id, id, session_id } }) =>
    Effect.flatMap(Readings, ({ read }) =>
      read({ companyId: company_id, sessionId: session_id, fileId: id })
    ).pipe(
      Effect.map((content) => ({
        outcome: { kind: "done" } as const,
        result: Option.some({ fileId: id, content })
      })),
      Effect.catchAllCause((cause) =>
        Cause.isInterrupted(cause) || failsAgain(cause)
          ? Effect.failCause(cause)
          : Effect.succeed({ outcome: { kind: "again", after: soon } as const, result: Option.none() })
      )
    ),
  settle: (settled) => {
    const read = settled.flatMap(({ result }) =>
      result !== undefined && Option.isSome(result) ? [result.value] : []
    )
    return read.length === 0
      ? Effect.void
      : Effect.flatMap(Readings, ({ store }) => Effect.asVoid(store(read)))
  }
})
