/**
 * The codes of the rules that a session breaks, an SQL expression of type text[].
 * @param given the name of the row with what `kyc_completion` has found, the config of the version, and the session's flags
 */
export const failedRules = (given: string) => `${given}.failed || array(
  select 'DUPLICATE_IDENTITY' where 'dedup_match' = any (${given}.flags) and ${given}.config #>> '{dedup,onMatch}' = 'block'
)`

/**
 * The flags of a session that is completed, an SQL expression of type text[]: those that it has, and those that completion shows.
 * @param given as in `failedRules`, with the columns of its version
 */
export const flagsOfCompleted = (given: string) => `${given}.flags || array_remove(array[
  case when ${given}.needs_captcha and ${given}.captcha_verified_at is null then 'captcha_missing' end,
  case when ${given}.missing <> '{}' then 'steps_missing' end,
  case when ${failedRules(given)} <> '{}' then 'rule_failed' end
], null)`
