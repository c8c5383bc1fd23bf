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
    /** The store's location, for people to read. */
    readonly place: string
    /** The lines added after this mark, or all lines, oldest first. */
    readonly since: (mark: string | undefined) => Stream.Stream<AnchorLine, AnchorsUnusable>
    /**
     * Adds an anchor and changes no existing one, so processes may add concurrently.
     *
     * @param at when the anchor is made
     * @param text one or more lines
     */
    readonly add: (at: Date, text: string) => Effect.Effect<void, AnchorsUnusable>
    /** Fails if nothing can be added, as far as a check without adding anything can tell. */
    readonly check: Effect.Effect<void, AnchorsUnusable>
  }
>() {}
