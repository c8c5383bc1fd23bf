import { Effect } from "effect"
import { Config } from "../../config.ts"
import { UsageRecordingRepo } from "./recording-repo.ts"

/** Rows of usage are in partitions by month, and none is older than the operator wants. */
export class UsagePartitions extends Effect.Service<UsagePartitions>()("UsagePartitions", {
  effect: Effect.gen(function* () {
    const { usageMonths } = yield* Config
    const repo = yield* UsageRecordingRepo
    return {
      /** Creates the partitions of the next months, and drops what is older than `RETENTION_USAGE_MONTHS`. */
      roll: repo.rollPartitions(usageMonths)
    }
  })
}) {}
