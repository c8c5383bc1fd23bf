import * as Effect from "effect/Effect"
import { Anchored } from "../../audit/anchoring-service.ts"
import { doubtful, failed, reason, well } from "./finding.ts"

/** Whether the audit trails are remembered outside the database as they should be. */
export const anchors = Effect.flatMap(Anchored, ({ lack, place }) =>
  lack.pipe(
    Effect.map(({ anchors, trails }) => {
      if (trails > 0) {
        return doubtful(
          `${trails === 1 ? "An audit trail has" : `${trails} audit trails have`} events of more than two hours ago that no anchor in ${place} has.`,
          "See that the service runs with this DATA_DIR, or bucket, what its log says, and what audit verify finds."
        )
      }
      return well(
        anchors === 0
          ? `There is no anchor in ${place} yet; the service makes the first when it starts.`
          : `The audit trails are anchored in ${place}.`
      )
    }),
    Effect.catchAll((error) =>
      Effect.succeed(
        failed(
          `${reason(error)}.`,
          "Give it to the user that runs doorlock: without anchors, a tail that is cut off an audit trail may not be found."
        )
      )
    )
  )
)
