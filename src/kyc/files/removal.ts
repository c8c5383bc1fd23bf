import { Effect, Schema } from "effect"
import { type Ran, workKind } from "../../work/model.ts"
import { copyIdOf, fileRemoval } from "./model.ts"
import { FileStore } from "./store.ts"

/** Milliseconds until the next try after so many, while the store cannot be reached: at most an hour. */
const pauseAfter = (attempt: number): number => Math.min(1_000 * 2 ** attempt, 3_600_000)

const done: Ran<undefined> = { outcome: { kind: "done" }, result: undefined }

/** Deletes the contents of a file and of its copy, whose rows are gone. Tries until the store has done so. */
export const removalWork = workKind({
  name: fileRemoval,
  payload: Schema.Struct({ id: Schema.UUID }),
  perLane: 1,
  run: ({ attempt, payload: { id } }) =>
    Effect.gen(function* () {
      const store = yield* FileStore
      yield* store.remove(id)
      yield* store.remove(copyIdOf(id))
      return done
    }).pipe(
      Effect.catchTag("StoreFailed", (error) =>
        Effect.as(Effect.logWarning("A file could not be deleted; trying again later", error), {
          outcome: { kind: "again", after: pauseAfter(attempt) } as const,
          result: undefined
        })
      )
    )
})
