import { Data } from "effect"

/** Part of the release exists already with different content, and can never change. */
export class ReleaseConflict extends Data.TaggedError("ReleaseConflict")<{
  /** The sentence that names the part. */
  readonly problem: string
}> {}
