-- Instances: how a company's sessions look and what they ask for.

create table kyc_instances (
  id uuid primary key,
  company_id uuid not null references companies,
  name text not null,
  public_key text not null,
  version_id uuid not null, -- the version that new sessions get
  disabled_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  constraint kyc_instances_public_key_key unique (public_key)
);

create index kyc_instances_company on kyc_instances (company_id, created_at desc, id desc);

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

-- Never updated: a session points at the version it was created with, so that editing an instance never changes a running session.
create table kyc_instance_versions (
  id uuid primary key,
  instance_id uuid not null references kyc_instances,
  company_id uuid not null references companies,
  config jsonb not null check (jsonb_typeof(config) = 'object'),
  workflow jsonb not null check (jsonb_typeof(workflow) = 'object'),
  created_at timestamptz(3) not null default now(),
  -- Of a version that has only some steps of another one, for sessions that ask for these steps again. The other one has all steps.
  restricted_from uuid references kyc_instance_versions,
  steps text[],
  -- What a completion asks of its version. Stored, because every completion asks for it, and a config and a workflow are large.
  is_reviewed boolean not null generated always as (coalesce(config #>> '{review,mode}', '') = 'manual') stored,
  looks_at_photos boolean not null generated always as (coalesce(config #>> '{checks,photos}', 'true') = 'true') stored,
  needs_captcha boolean not null generated always as (
    case when coalesce(config #> '{captcha,required}', 'null') = 'null'
      then jsonb_typeof(workflow -> 'steps') is distinct from 'array' or workflow -> 'steps' = '[]'
        or jsonb_path_exists(workflow, '$.steps[*] ? (@.type == "captcha")')
      else config #> '{captcha,required}' = 'true'
    end
  ) stored,
  completion_rules jsonb not null generated always as (kyc_completion_rules(workflow)) stored,
  unique (id, instance_id, company_id),
  constraint kyc_instance_versions_restricted unique (restricted_from, steps),
  check ((restricted_from is null) = (steps is null))
);

create index kyc_instance_versions_instance on kyc_instance_versions (instance_id);

alter table kyc_instances
  add constraint kyc_instances_version foreign key (version_id, id, company_id)
  references kyc_instance_versions (id, instance_id, company_id) deferrable initially deferred;
