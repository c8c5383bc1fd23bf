/** What the processes of one service tell each other: the workers, and the one that runs them. */
import * as Schema from "effect/Schema"
import { Family } from "../observability/figures.ts"

/** It serves. */
const Ready = Schema.TaggedStruct("Ready", { hostname: Schema.String, port: Schema.Number })

/** It cannot serve, and why, in one sentence; it ends with that. */
const CannotStart = Schema.TaggedStruct("CannotStart", { sentence: Schema.String })

/** Its figures: once a second, so that what it counted outlives it, and when it is asked by a `Report` of that number. */
const Figures = Schema.TaggedStruct("Figures", {
  families: Schema.Array(Family),
  report: Schema.optional(Schema.Number)
})

/** Asks for the figures of all. */
const Collect = Schema.TaggedStruct("Collect", { id: Schema.Number })

/** What was added to what keys have left of budgets: the budget's name, the key, how much. From one worker, and then to all others. */
export const BudgetChanges = Schema.TaggedStruct("BudgetChanges", {
  changes: Schema.Array(Schema.Tuple(Schema.String, Schema.String, Schema.Number))
})

export const FromWorker = Schema.Union(Ready, CannotStart, Figures, Collect, BudgetChanges)
export type FromWorker = typeof FromWorker.Type

/** Asks for its figures. */
const Report = Schema.TaggedStruct("Report", { id: Schema.Number })

/** The answer to the `Collect` of that number. */
const Collected = Schema.TaggedStruct("Collected", { id: Schema.Number, families: Schema.Array(Family) })

/** What a worker is told of figures. */
export const OfFigures = Schema.Union(Report, Collected)
export type ToWorker = typeof OfFigures.Type | typeof BudgetChanges.Type
