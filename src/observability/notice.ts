import { Effect } from "effect"
import { Config } from "../config.ts"
import { writeLine } from "./output.ts"

/**
 * Informs the operator, at every log level and unredacted, in the log's format.
 * @param shown the text for people; may have several lines
 */
export const notice = (message: string, shown = message): Effect.Effect<void, never, Config> =>
  Effect.map(Config, ({ logFormat }) =>
    writeLine(
      logFormat === "json"
        ? JSON.stringify({ timestamp: new Date().toISOString(), level: "INFO", message })
        : shown
    )
  )
