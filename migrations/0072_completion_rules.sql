-- What the completion of a session asks of its version, in few bytes: a config and a workflow are large. A workflow without steps means the page's own flow
-- (`src/kyc/instances/default-workflow-model.ts`).
create function kyc_completion_rules(workflow jsonb) returns jsonb language sql immutable as $$
  select case when jsonb_typeof(workflow -> 'steps') is distinct from 'array' or workflow -> 'steps' = '[]' then
    '{"steps": [{"id": "consent", "needed": true}, {"id": "document", "needed": true}, {"id": "person", "needed": true}],
      "needed": ["consent", "document", "person"], "rules": []}'::jsonb
  else jsonb_build_object(
    'steps', coalesce((
      select jsonb_agg(jsonb_build_object('id', step -> 'id', 'needed', step -> 'optional' is distinct from 'true') order by place)
      from jsonb_array_elements(workflow -> 'steps') with ordinality as steps (step, place)
      where step ->> 'type' not in ('captcha', 'review')
    ), '[]'),
    'needed', coalesce((
      select jsonb_agg(step -> 'id' order by place) from jsonb_array_elements(workflow -> 'steps') with ordinality as steps (step, place)
      where step ->> 'type' not in ('captcha', 'review') and step -> 'optional' is distinct from 'true'
    ), '[]'),
    'rules', coalesce((
      select jsonb_agg(jsonb_build_object(
        'after', rule -> 'after',
        'step', split_part(rule #>> '{if,path}', '.', 1),
        -- Whether it applies if that step has no answer.
        'absent', rule #>> '{if,op}' = 'exists' and rule #> '{if,value}' is not distinct from 'false',
        'skip', case jsonb_typeof(rule #> '{then,skip}') when 'array' then rule #> '{then,skip}' else '[]' end,
        'fail', rule #> '{then,fail}'
      ) order by place)
      from jsonb_array_elements(case jsonb_typeof(workflow -> 'rules') when 'array' then workflow -> 'rules' else '[]' end)
        with ordinality as rules (rule, place)
    ), '[]')
  ) end
$$;

alter table kyc_instance_versions
  drop column needed_answers,
  drop column needs_captcha,
  add column completion_rules jsonb not null generated always as (kyc_completion_rules(workflow)) stored,
  add column needs_captcha boolean not null generated always as (
    case when coalesce(config #> '{captcha,required}', 'null') = 'null'
      then jsonb_typeof(workflow -> 'steps') is distinct from 'array' or workflow -> 'steps' = '[]'
        or jsonb_path_exists(workflow, '$.steps[*] ? (@.type == "captcha")')
      else config #> '{captcha,required}' = 'true'
    end
  ) stored;

drop function kyc_needed_answers;

alter table kyc_sessions
  -- What the answer to each step amounts to (`src/kyc/sessions/step-results-model.ts`), so that completion can judge answers that are sealed.
  add column step_results jsonb not null default '{}',
  -- The required steps without a whole answer, and the rules that the answers break: found when it ends. Null and empty before, and after a redaction.
  add column missing_steps text[],
  add column failed_rules text[] not null default '{}';

-- Which required steps lack a whole answer, and the codes of the rules that the answers break, in the order of the workflow. `rules` is what
-- `kyc_completion_rules` returns, `results` the session's `step_results`. A step is whole only if each file that it names is the session's, and no other step
-- names it; a document or selfie only if they are pictures. The page ends no session before each step that no rule skips is answered or, if it is
-- optional, skipped: so a rule after an optional step, the captcha or the review applies without an answer. `sent` is what the result says, and null before completion: until
-- then, the end of a document's number counts as the number.
create function kyc_completion(
  rules jsonb, results jsonb, of_session uuid, sent jsonb default null, out missing text[], out failed text[]
) language plpgsql stable as $$
declare
  files jsonb := '[]';
  pictures jsonb := '[]';
  skipped text[] := '{}';
begin
  failed := '{}';
  if results = '{}' and rules -> 'rules' = '[]' then
    -- Ids are letters, digits, underscores and hyphens. This is 15 µs faster than a query.
    missing := translate((rules -> 'needed')::text, '[]', '{}');
    return;
  end if;
  if rules -> 'rules' <> '[]' then
    with met as (
      select rule, place, jsonb_typeof(results -> (rule ->> 'after')) is not distinct from 'object' as is_answered
      from jsonb_array_elements(rules -> 'rules') with ordinality as all_rules (rule, place)
      where case when jsonb_typeof(results -> (rule ->> 'step')) = 'object'
        then coalesce(results -> (rule ->> 'step') -> 'holds' @> to_jsonb(place - 1), false)
        else (rule -> 'absent')::boolean
      end
    ), skips as (
      select array(select jsonb_array_elements_text(rule -> 'skip') from met where is_answered) as all_skipped
    )
    select all_skipped, array(
      select rule ->> 'fail' from met
      where jsonb_typeof(rule -> 'fail') = 'string'
        and (is_answered or rule ->> 'after' <> all (all_skipped) and not (rules -> 'needed' ? (rule ->> 'after')))
      order by place
    )
    into skipped, failed from skips;
  end if;
  if jsonb_path_exists(results, '$.*.files[0]') then
    select coalesce(jsonb_agg(id), '[]'), coalesce(jsonb_agg(id) filter (where content_type <> 'application/pdf'), '[]')
    into files, pictures from kyc_files
    where session_id = of_session and id::text not in (
      select file from jsonb_each(results) as named (step, result), jsonb_array_elements_text(result -> 'files') as file
      group by file having count(distinct step) > 1
    );
  end if;
  with steps as (
    select step ->> 'id' as id, (step -> 'needed')::boolean as needed, results -> (step ->> 'id') as result, place
    from jsonb_array_elements(rules -> 'steps') with ordinality as all_steps (step, place)
    where step ->> 'id' <> all (skipped)
  )
  select
    array(
      select id from steps
      where needed and not (
        coalesce(result -> 'done' = 'true', false)
        and coalesce(result -> 'files', '[]') <@ case when result ? 'pictures' then pictures else files end
        and (sent is null or not (result ? 'numberEnd') or coalesce(sent #> array['fields', id] ?& array['number', 'last3'], false))
      )
      order by place
    ),
    failed || array(select jsonb_array_elements_text(result -> 'codes') from steps where result ? 'codes' order by place)
  into missing, failed;
end
$$;

-- The required steps without a whole answer of a session that ends without being completed.
create function kyc_missing_steps(of_session uuid, of_version uuid, results jsonb) returns text[] language sql stable as $$
  select missing from kyc_instance_versions v left join kyc_instance_versions whole on whole.id = v.restricted_from
    cross join lateral kyc_completion(coalesce(whole.completion_rules, v.completion_rules), results, of_session)
  where v.id = of_version
$$;

-- The codes of the rules that a session breaks: those that `kyc_completion` has found, and what the result says, `sent`. Where a match ends the
-- session, the page looks for each document or person among the earlier sessions, and the result has it. Conditions instead of one query, because
-- hardly any session meets one of them.
create function kyc_failed_rules(
  failed text[], results jsonb, sent jsonb, of_session uuid, mode text, flags text[], ends_on_match boolean
) returns text[] language plpgsql stable as $$
begin
  if sent -> 'codes' <> '[]' then
    failed := failed || array(
      select code from jsonb_array_elements_text(sent -> 'codes') with ordinality as codes (code, place)
      where code <> all (failed) group by code order by min(place)
    );
  end if;
  if results <> '{}' and sent -> 'fields' <> '{}' and exists (
    select from jsonb_each(sent -> 'fields') as steps (step, fields), jsonb_each(fields) as one (field, hash)
    where results -> step -> 'fields' -> field <> hash
  ) then
    failed := failed || 'ANSWERS_DIFFER'::text;
  end if;
  if ends_on_match then
    if 'dedup_match' = any (flags) then
      failed := failed || 'DUPLICATE_IDENTITY'::text;
    end if;
    if mode = 'prod' and exists (
      select from jsonb_each(results) as answered (step, result)
      where result ? 'compared' and not exists (
        select from kyc_dedup_sightings d
        where d.session_id = of_session and sent -> 'compared' -> step ? encode(d.key_hmac, 'hex')
      )
    ) then
      failed := failed || 'DUPLICATE_NOT_CHECKED'::text;
    end if;
  end if;
  return failed;
end
$$;
