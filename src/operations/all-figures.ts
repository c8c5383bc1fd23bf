import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type Family, ofWorker } from "../observability/figures.ts"
import { figures } from "../observability/meters.ts"

/** The figures of every process that shares the port: of this one alone, unless it is a worker. */
export class AllFigures extends Context.Reference<AllFigures>()("doorlock/operations/AllFigures", {
  defaultValue: (): { readonly collect: Effect.Effect<ReadonlyArray<Family>> } => ({
    collect: Effect.sync(() => ofWorker(figures(), 1))
  })
}) {}
