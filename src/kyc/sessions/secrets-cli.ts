import { Effect } from "effect"
import { command, group } from "../../cli/command.ts"
import { onDatabase } from "../../cli/on-database.ts"

const onKeys = onDatabase(() => import("./cli-layer.ts"))

const reseal = command(
  "reseal",
  "Reseal the keys of all sessions with the new SECRET_KEY, while SECRET_KEY_PREVIOUS has the old one. The service may run, and the command may be stopped and run again.",
  {},
  () =>
    Effect.map(
      onKeys(({ keys }) => Effect.all({ done: keys.reseal, secrets: keys.secrets })),
      ({ done: { broken, resealed }, secrets }) => {
        const left = secrets.previous + secrets.unknown
        const [first] = broken
        return {
          value: { resealed, left, broken },
          words: () =>
            left === 0
              ? `Sealed ${resealed} keys again. All ${secrets.present} are sealed with the present SECRET_KEY.`
              : `Sealed ${resealed} keys again. ${left} are left, which neither SECRET_KEY nor SECRET_KEY_PREVIOUS opens.${first === undefined ? "" : ` One is that of the session ${first}.`}`
        }
      }
    )
)

/** The operator's commands for the keys under SECRET_KEY. */
export const secrets = {
  commands: [group("secrets", "What is sealed under SECRET_KEY.", [reseal])],
  checks: () => import("./checks.ts")
}
