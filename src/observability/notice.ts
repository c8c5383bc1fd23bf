import * as Effect from "effect/Effect"
import { Config } from "../config.ts"
import { writeLine } from "./output.ts"

/**
 * Tells whoever started the process something, at every log level and unredacted, as a line of the log's
 * format: who reads the output as JSON can read all of it.
 *
 * @param shown the same as people read it best; it may have several lines
 */
export const notice = (message: string, shown = message): Effect.Effect<void, never, Config> =>
  Effect.map(Config, ({ logFormat }) =>
    writeLine(
      logFormat === "json"
        ? JSON.stringify({ timestamp: new Date().toISOString(), level: "INFO", message })
        : shown
    )
  )
