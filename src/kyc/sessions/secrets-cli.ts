import { Effect } from "effect"
import { command, group } from "../../cli/command.ts"
import { onDatabase } from "../../cli/on-database.ts"

const onKeys = onDatabase(() => import("./cli-layer.ts"))

const reseal = command(
  "reseal",
  "Seal the keys of all sessions with the present SECRET_KEY, after SECRET_KEY_PREVIOUS was set to the one before. It may be stopped and run again, while the service serves.",
  {},
  () =>
    Effect.map(
      onKeys(({ keys }) => Effect.all({ resealed: keys.reseal, secrets: keys.secrets })),
      ({ resealed, secrets }) => ({
        value: { resealed, left: secrets.previous + secrets.unknown },
        words: () =>
          secrets.previous + secrets.unknown === 0
            ? `Sealed ${resealed} keys again. All ${secrets.present} are sealed with the present SECRET_KEY.`
            : `Sealed ${resealed} keys again. ${secrets.previous + secrets.unknown} are left, which neither SECRET_KEY nor SECRET_KEY_PREVIOUS opens.`
      })
    )
)

/** The operator's commands for the keys under SECRET_KEY. */
export const secrets = {
  commands: [group("secrets", "What is sealed under SECRET_KEY.", [reseal])],
  checks: () => import("./checks.ts")
}
