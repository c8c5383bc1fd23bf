import { Context, Data, type Effect, type Stream } from "effect"

export class AnchorsUnusable extends Data.TaggedError("AnchorsUnusable")<{
  readonly message: string
  readonly cause?: unknown
}> {}

export interface AnchorLine {
  readonly text: string
  /** Where the next read continues. */
  readonly mark: string
}

/** The anchors' store, outside the database. It is append-only. */
export class AnchorStore extends Context.Tag("AnchorStore")<
  AnchorStore,
  {
    /** For people to read. */
    readonly place: string
    /** Lines after the mark, or all, oldest first. */
    readonly since: (mark: string | undefined) => Stream.Stream<AnchorLine, AnchorsUnusable>
    /** Changes no existing anchor, so processes may add concurrently. `text` is one or more lines. */
    readonly add: (at: Date, text: string) => Effect.Effect<void, AnchorsUnusable>
    /** Fails if nothing can be added, as far as a check that adds nothing can tell. */
    readonly check: Effect.Effect<void, AnchorsUnusable>
  }
>() {}
