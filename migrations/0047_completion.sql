-- What the completion of a session asks of its version. Stored, because every completion asks for it, and a config and a workflow are large.

-- The names in the progress that a completed session needs. A step that a rule can skip is not among them: its rule depends on answers, which are sealed.
create function kyc_needed_answers(workflow jsonb) returns text[] language sql immutable as $$
  select array(
    select 's_' || (step ->> 'id')
    from jsonb_path_query(workflow, '$.steps[*] ? (@.type != "captcha" && @.type != "review")') as step
    where step -> 'optional' is distinct from 'true'
      and not jsonb_path_exists(workflow, '$.rules[*].then.skip[*] ? (@ == $id)', jsonb_build_object('id', step -> 'id'))
  )
$$;

alter table kyc_instance_versions
  add column needs_captcha boolean not null generated always as (
    case when coalesce(config #> '{captcha,required}', 'null') = 'null'
      then coalesce(jsonb_path_exists(workflow, '$.steps[*] ? (@.type == "captcha")'), false)
      else config #> '{captcha,required}' = 'true'
    end
  ) stored,
  add column needed_answers text[] not null generated always as (kyc_needed_answers(workflow)) stored,
  add column looks_at_photos boolean not null generated always as (coalesce(config #>> '{checks,photos}', '') = 'true') stored;
