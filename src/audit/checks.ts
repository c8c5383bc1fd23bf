import { Effect } from "effect"
import { type Check, doubtful, failed, reason, well } from "../cli/check.ts"
import { Anchored } from "./anchored-service.ts"
import { anchored } from "./layer.ts"

const anchors = Effect.flatMap(Anchored, ({ behind, place }) =>
  behind.pipe(
    Effect.map(({ first, trails }) => {
      if (trails > 0) {
        return doubtful(
          `${trails === 1 ? "An audit trail has" : `${trails} audit trails have`} events older than two hours that no anchor in ${place} covers.`,
          "Check that the service runs with this DATA_DIR or bucket, and look at its log and at audit verify."
        )
      }
      return first === undefined
        ? well(
            `There is no anchor in ${place} yet; a process with ROLE=all or work makes the first when it starts.`
          )
        : well(`The audit trails are anchored in ${place}.`)
    }),
    Effect.catchAll((error) =>
      Effect.succeed(
        failed(
          `${reason(error)}.`,
          "Make sure that the user that runs doorlock can read and write it, or move what cannot be read elsewhere and restart the service: without anchors, a cut-off tail of an audit trail may stay undetected."
        )
      )
    )
  )
)

export const checks: ReadonlyArray<Check> = [
  { name: "audit anchors", ofDatabase: Effect.provide(anchors, anchored) }
]
