import type * as SqlClient from "@effect/sql/SqlClient"

/**
 * The flags of a session `s` that is completed, an SQL expression of type text[]: those that it has, and those that completion shows. The
 * config and workflow are those of its version. A step that a rule can skip is never missing: the answers that decide are not read here.
 */
export const flagsOfCompleted = (sql: SqlClient.SqlClient) =>
  sql.literal(`(
    select s.flags || array(
      select flag from (values
        ('captcha_missing', s.captcha_verified_at is null
          and coalesce(nullif(v.config #> '{captcha,required}', 'null'),
            to_jsonb(jsonb_path_exists(v.workflow, '$.steps[*] ? (@.type == "captcha")'))) = 'true'),
        ('steps_missing', exists (
          select from jsonb_path_query(v.workflow, '$.steps[*] ? (@.type != "captcha" && @.type != "review")') as step
          where step -> 'optional' is distinct from 'true' and not s.progress ? ('s_' || (step ->> 'id'))
            and not jsonb_path_exists(v.workflow, '$.rules[*].then.skip[*] ? (@ == $id)', jsonb_build_object('id', step -> 'id'))))
      ) as known (flag, is_shown) where is_shown
    )
    from kyc_instance_versions v where v.id = s.version_id
  )`)
