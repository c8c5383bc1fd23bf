/**
 * The codes of the rules that a session breaks, an SQL expression of type text[]: of the row `locked` of the session, the row `v` of its version, what
 * `kyc_completion` has found, `c`, and what the result says, `asked.sent`. Where a match ends the session, the page looks for each document or person among
 * the earlier sessions, and the result has it.
 */
export const failedRules = `c.failed || array(
  select code from jsonb_array_elements_text(asked.sent -> 'codes') with ordinality as sent (code, place)
  where code <> all (c.failed) group by code order by min(place)
) || array_remove(array[
  case when exists (
      select from jsonb_each(asked.sent -> 'fields') as sent (step, fields), jsonb_each(sent.fields) as one (field, hash)
      where locked.step_results -> step -> 'fields' -> field <> one.hash
    ) then 'ANSWERS_DIFFER' end,
  case when 'dedup_match' = any (locked.flags) and v.config #>> '{dedup,onMatch}' = 'block' then 'DUPLICATE_IDENTITY' end,
  case when locked.mode = 'prod' and exists (
      select from jsonb_each(locked.step_results) as answered (step, result)
      where result ? 'compared' and not exists (
        select from kyc_dedup_sightings d
        where d.session_id = locked.session_id and asked.sent -> 'compared' -> step ? encode(d.key_hmac, 'hex')
      )
    ) then 'DUPLICATE_NOT_CHECKED' end
], null)`

/** The flags of a session that is completed, an SQL expression of type text[]: those that it has, and those that completion shows in `given`. */
export const flagsOfCompleted = `given.flags || array_remove(array[
  case when given.needs_captcha and given.captcha_verified_at is null then 'captcha_missing' end,
  case when given.missing <> '{}' then 'steps_missing' end,
  case when given.failed_rules <> '{}' then 'rule_failed' end
], null)`
