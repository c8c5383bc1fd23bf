import { Effect } from "effect"
import { type Check, doubtful, failed, reason, well } from "../cli/check.ts"
import { Anchored } from "./anchored-service.ts"
import { anchored } from "./layer.ts"

const trailsWith = (count: number, one: string, several: string): string =>
  count === 1 ? `An audit trail ${one}` : `${count} audit trails ${several}`

const anchors = Effect.flatMap(Anchored, ({ lack, place }) =>
  lack.pipe(
    Effect.map(({ contradicted, first, trails, unsealed }) => {
      if (contradicted > 0) {
        return failed(
          `${trailsWith(contradicted, "is not the one that was", "are not those that were")} anchored in ${place}.`,
          "Run audit verify to see where; docs/audit.md says what to do after a restore."
        )
      }
      if (trails > 0) {
        return doubtful(
          `${trailsWith(trails, "has", "have")} events older than two hours that no anchor in ${place} covers.`,
          "Check that the service runs with this DATA_DIR or bucket, and look at its log and at audit verify."
        )
      }
      if (first === undefined) {
        return well(`There is no anchor in ${place} yet; the service makes the first when it starts.`)
      }
      return unsealed === 0
        ? well(`The audit trails are anchored in ${place}.`)
        : doubtful(
            `${trailsWith(unsealed, "does", "do")} not end with an event that is sealed.`,
            "Run audit verify."
          )
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
