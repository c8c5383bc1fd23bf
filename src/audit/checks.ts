import { Effect } from "effect"
import { type Check, doubtful, failed, reason, well } from "../cli/check.ts"
import { Anchored } from "./anchored-service.ts"
import { anchored } from "./layer.ts"

const trailsWith = (count: number, one: string, several: string): string =>
  count === 1 ? `An audit trail ${one}` : `${count} audit trails ${several}`

const anchors = Effect.flatMap(Anchored, ({ lack, place }) =>
  lack.pipe(
    Effect.map(({ contradicted, first, interference, trails, unsealed }) => {
      if (interference.length > 0) {
        return failed(
          `The audit tables are not as doorlock makes them. ${interference.join(" ")}`,
          "Somebody changed the audit tables past doorlock: see who could, undo it, and run audit verify."
        )
      }
      if (contradicted > 0) {
        return failed(
          `${trailsWith(contradicted, "is not the one that was", "are not those that were")} anchored in ${place}.`,
          "Run audit verify, which says where; docs/audit.md says what to do after a restore."
        )
      }
      if (trails > 0) {
        return doubtful(
          `${trailsWith(trails, "has", "have")} events of more than two hours ago that no anchor in ${place} has.`,
          "See that the service runs with this DATA_DIR, or bucket, what its log says, and what audit verify finds."
        )
      }
      if (first === undefined) {
        return well(`There is no anchor in ${place} yet; the service makes the first when it starts.`)
      }
      return unsealed === 0
        ? well(`The audit trails are anchored in ${place}.`)
        : doubtful(
            `${trailsWith(unsealed, "does", "do")} not end with an event that is sealed.`,
            "After an upgrade, once no process of the version before runs any more, run audit seal. Otherwise see what audit verify finds."
          )
    }),
    Effect.catchAll((error) =>
      Effect.succeed(
        failed(
          `${reason(error)}.`,
          "See that the user that runs doorlock can read and write it, or put what cannot be read elsewhere and start the service again: without anchors, a tail that is cut off an audit trail may not be found."
        )
      )
    )
  )
)

export const checks: ReadonlyArray<Check> = [
  { name: "audit anchors", ofDatabase: Effect.provide(anchors, anchored) }
]
