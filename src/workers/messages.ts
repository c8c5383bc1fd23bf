/** What the processes of one service tell each other: the workers, and the one that runs them. */
import * as Schema from "effect/Schema"

/** It serves. */
export const Ready = Schema.TaggedStruct("Ready", { hostname: Schema.String, port: Schema.Number })

/** It cannot serve, and why, in one sentence; it ends with that. */
export const CannotStart = Schema.TaggedStruct("CannotStart", { sentence: Schema.String })

export const FromWorker = Schema.Union(Ready, CannotStart)
export type FromWorker = typeof FromWorker.Type
