/** The messages between workers and their supervisor. */
import { Schema } from "effect"
import { Family } from "../observability/figures.ts"

const Ready = Schema.TaggedStruct("Ready", { hostname: Schema.String, port: Schema.Number })

/** The sentence says why the worker cannot serve. */
const CannotStart = Schema.TaggedStruct("CannotStart", { sentence: Schema.String })

/**
 * Metrics: every second, so that the counts outlive the worker, and in reply to the `Report` of that number.
 */
const Figures = Schema.TaggedStruct("Figures", {
  families: Schema.Array(Family),
  report: Schema.optional(Schema.Number)
})

/** Requests the metrics of all processes. */
const Collect = Schema.TaggedStruct("Collect", { id: Schema.Number })

/** Changes to what keys have left in budgets (budget, key, amount), forwarded to all other workers. */
export const BudgetChanges = Schema.TaggedStruct("BudgetChanges", {
  changes: Schema.Array(Schema.Tuple(Schema.String, Schema.String, Schema.Number))
})

export const FromWorker = Schema.Union(Ready, CannotStart, Figures, Collect, BudgetChanges)
export type FromWorker = typeof FromWorker.Type

const Report = Schema.TaggedStruct("Report", { id: Schema.Number })

/** The reply to the `Collect` with this number. */
const Collected = Schema.TaggedStruct("Collected", { id: Schema.Number, families: Schema.Array(Family) })

export const OfFigures = Schema.Union(Report, Collected)
export type ToWorker = typeof OfFigures.Type | typeof BudgetChanges.Type
