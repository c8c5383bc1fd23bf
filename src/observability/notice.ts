import * as Effect from "effect/Effect"
import { Config } from "../config.ts"
import { writeLine } from "./output.ts"

/**
 * Tells whoever started the process something, at every log level and unredacted, as a line of the log's
 * format: who reads the output as JSON can read all of it.
 */
export const notice = (message: string): Effect.Effect<void, never, Config> =>
  Effect.map(Config, ({ logFormat }) =>
    writeLine(
      logFormat === "json"
        ? JSON.stringify({ timestamp: new Date().toISOString(), level: "INFO", message })
        : message
    )
  )
