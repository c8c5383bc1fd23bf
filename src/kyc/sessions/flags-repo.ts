/** The flags of a session that is completed, an SQL expression of type text[]: those that it has, and those that completion shows in `given`. */
export const flagsOfCompleted = `given.flags || array_remove(array[
  case when given.needs_captcha and given.captcha_verified_at is null then 'captcha_missing' end,
  case when given.missing <> '{}' then 'steps_missing' end,
  case when given.failed_rules <> '{}' then 'rule_failed' end
], null)`
