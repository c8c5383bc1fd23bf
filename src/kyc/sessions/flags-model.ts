import { Schema } from "effect"

/** What the server has noticed about a session (contract.md#session-flags). */
export const Flags = Schema.Array(
  Schema.Literal("dedup_match", "captcha_missing", "steps_missing", "rule_failed")
).annotations({
  description:
    "What the server has noticed: the same document or person in an earlier session; completed without the captcha; completed without a required step; completed although the answers break a rule (`failed_rules`). A flag is never removed."
})

/** Of which rules `rule_failed` speaks (contract.md#failed-rules). */
export const FailedRules = Schema.Array(Schema.String).annotations({
  description:
    "Why the hosted page would not have gone on, with these answers: the codes of the workflow's rules, `AGE_TOO_LOW`, `AGE_TOO_HIGH`, `COUNTRY_NOT_ALLOWED`, `DOCUMENT_NOT_ALLOWED`, `DOCUMENT_EXPIRED`, `ANSWER_INVALID`, `ANSWERS_DIFFER`, `DUPLICATE_IDENTITY`, `DUPLICATE_NOT_CHECKED`. Found at completion; empty before, and after a redaction."
})
