/**
 * The codes of the rules that a session breaks, an SQL expression of type text[]: of the row `locked` of the session, the row `v` of its version, and what
 * `kyc_completion` has found, `c`. Where the config ends sessions that match an earlier one, the page looks for each document or person among them, and
 * sends it in the result: `asked.compared` has its key hash.
 */
export const failedRules = `c.failed || case when v.config #>> '{dedup,onMatch}' = 'block' then array_remove(array[
  case when 'dedup_match' = any (locked.flags) then 'DUPLICATE_IDENTITY' end,
  case when locked.mode = 'prod' and exists (
      select from jsonb_each(locked.step_results) as answered (step, result)
      where (result ->> 'compared' = 'always' or coalesce(v.config #>> '{dedup,enabled}', 'true') = 'true'
          and result ->> 'compared' = coalesce(v.config #>> '{dedup,strategy}', 'document'))
        and not exists (
          select from kyc_dedup_sightings d
          where d.session_id = locked.session_id and asked.compared -> step ? encode(d.key_hmac, 'hex')
        )
    ) then 'DUPLICATE_NOT_CHECKED' end
], null) else '{}' end`

/** The flags of a session that is completed, an SQL expression of type text[]: those that it has, and those that completion shows in `given`. */
export const flagsOfCompleted = `given.flags || array_remove(array[
  case when given.needs_captcha and given.captcha_verified_at is null then 'captcha_missing' end,
  case when given.missing <> '{}' then 'steps_missing' end,
  case when given.failed_rules <> '{}' then 'rule_failed' end
], null)`
