import { Context, Effect } from "effect"
import { type Family, ofWorker } from "../observability/figures.ts"
import { figures } from "../observability/meters.ts"

/** The metrics of all processes that share the port. */
export class AllFigures extends Context.Reference<AllFigures>()("doorlock/operations/AllFigures", {
  defaultValue: (): { readonly collect: Effect.Effect<ReadonlyArray<Family>> } => ({
    collect: Effect.sync(() => ofWorker(figures(), 1))
  })
}) {}
