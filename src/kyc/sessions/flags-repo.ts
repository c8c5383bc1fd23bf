/**
 * The flags of a session `s` that is completed, an SQL expression of type text[]: those that it has, and those that completion shows.
 * @param version the name of the row that has the columns of its version
 */
export const flagsOfCompleted = (version: string) => `s.flags || array_remove(array[
  case when ${version}.needs_captcha and s.captcha_verified_at is null then 'captcha_missing' end,
  case when not s.progress ?& ${version}.needed_answers then 'steps_missing' end
], null)`
