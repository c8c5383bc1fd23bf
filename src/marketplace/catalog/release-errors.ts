import * as Data from "effect/Data"

/** Something of the release is there already, and is otherwise than the release says: it never changes. */
export class ReleaseConflict extends Data.TaggedError("ReleaseConflict")<{
  /** The sentence that names it. */
  readonly problem: string
}> {}
