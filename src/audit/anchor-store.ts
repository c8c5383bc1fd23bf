import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"

/** Anchors cannot be read or written. */
export class AnchorsUnusable extends Data.TaggedError("AnchorsUnusable")<{
  readonly message: string
  readonly cause?: unknown
}> {}

/** A line of an anchor. */
export interface AnchorLine {
  readonly text: string
  /** Reading goes on from here another time. */
  readonly mark: string
}

/** Where anchors are kept, outside the database: a store that is only ever added to. */
export class AnchorStore extends Context.Tag("AnchorStore")<
  AnchorStore,
  {
    /** How people call it. */
    readonly place: string
    /** The lines that were added after this mark, or all, oldest first. */
    readonly since: (mark: string | undefined) => Stream.Stream<AnchorLine, AnchorsUnusable>
    /**
     * Adds an anchor, and changes none that is there: processes may add at the same time.
     *
     * @param at when it is made
     * @param text one line or several
     */
    readonly add: (at: Date, text: string) => Effect.Effect<void, AnchorsUnusable>
    /** Fails when none could be added, as far as that can be told without adding one. */
    readonly check: Effect.Effect<void, AnchorsUnusable>
  }
>() {}
