import { Effect } from "effect"
import { Config } from "../config.ts"
import { writeLine } from "./output.ts"

/**
 * Informs the person who started the process, at every log level and unredacted. Uses the format of the log, so a JSON reader can parse all
 * of the output.
 *
 * @param shown the text for people; it may have several lines
 */
export const notice = (message: string, shown = message): Effect.Effect<void, never, Config> =>
  Effect.map(Config, ({ logFormat }) =>
    writeLine(
      logFormat === "json"
        ? JSON.stringify({ timestamp: new Date().toISOString(), level: "INFO", message })
        : shown
    )
  )
