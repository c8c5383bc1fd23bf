import { DateTime, Option } from "effect"
import { isJsonObject, type JsonObject } from "../../shared/json.ts"

const utc = DateTime.zoneUnsafeMakeNamed("UTC")

/**
 * The day, as `YYYY-MM-DD`, at this moment in the `checks.timeZone` of a config.
 *
 * UTC if there is none, or one that this machine does not know: its list of zones may be older than that of the machine that took the config.
 */
export const todayIn = ({ checks }: JsonObject, now: DateTime.DateTime): string => {
  const name = isJsonObject(checks) ? checks.timeZone : undefined
  const zone = Option.flatMap(
    Option.liftPredicate(name, (given) => typeof given === "string"),
    DateTime.zoneMakeNamed
  )
  return DateTime.formatIsoDate(
    DateTime.setZone(
      now,
      Option.getOrElse(zone, () => utc)
    )
  )
}
