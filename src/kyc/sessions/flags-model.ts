import { Schema } from "effect"

/** What the server has noticed about a session (contract.md#session-flags). */
export const Flags = Schema.Array(
  Schema.Literal("dedup_match", "captcha_missing", "steps_missing")
).annotations({
  description:
    "What the server has noticed: the same document or person in an earlier session; completed without the captcha; completed without a required step. A flag is never removed."
})
