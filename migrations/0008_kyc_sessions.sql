-- Sessions of end users, in a partition for each month. The first 48 bits of an id are the time of its creation.
--
-- A foreign key locks the row that it refers to. Where many transactions lock one row at once, Postgres writes a MultiXact each time, and an
-- installation that creates many sessions runs out of them before they are frozen. So tables that grow with use refer to shared rows
-- (companies, instances, versions) without a foreign key. Each statement that inserts there takes these ids from rows that it reads, and
-- no statement deletes such a row: the service's role has no right to. What hangs on sessions refers to them without a foreign key, too:
-- a partition with foreign keys to it could not be dropped without a look at all rows that refer to any session.

create table kyc_sessions (
  id uuid not null,
  instance_id uuid not null,
  company_id uuid not null,
  version_id uuid not null,
  mode text not null check (mode in ('prod', 'dev')),
  status text not null default 'created' check (status in ('created', 'running', 'completed', 'failed', 'cancelled')),
  external_reference text,
  success_redirect_url text, -- byte for byte as the partner gave it
  failure_redirect_url text,
  -- Encrypted by the session's key: metadata and result whole, progress value by value.
  metadata jsonb,
  progress jsonb not null default '{}' check (jsonb_typeof(progress) = 'object'),
  result jsonb,
  token_hash bytea not null, -- SHA-256 of the session token
  -- The token of a resumed session is derived from SECRET_KEY, the session's id and this, so that a retry of the creation gets it, too. Null: the
  -- session was not resumed.
  token_salt bytea,
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  started_at timestamptz(3), -- the first time the status became running
  updated_at timestamptz(3) not null default now(),
  completed_at timestamptz(3), -- when a final status was reached, whichever
  redacted_at timestamptz(3), -- when the personal data was destroyed
  captcha_verified_at timestamptz(3),
  captcha_score double precision,
  files_begun smallint not null default 0, -- rows in kyc_files and kyc_file_uploads
  -- The session whose review asked for this one, and the one that its own review asked for: over several partitions, an index could not keep two
  -- sessions from following the same one.
  previous_session_id uuid,
  next_session_id uuid,
  -- The users and platform keys that were shown a link to the session: with it, they could have answered for the end user.
  link_shown_to uuid[] not null default '{}',
  -- When each step was first saved, in seconds after the session was created, by the step's id. It says nothing about the end user.
  step_seconds jsonb not null default '{}',
  -- What the answer to each step amounts to (`src/kyc/sessions/step-results-model.ts`), so that completion can judge answers that are encrypted.
  step_results jsonb not null default '{}',
  -- The required steps without a whole answer, and the rules that the answers break: found when it ends. Null and empty before, and after a redaction.
  missing_steps text[],
  failed_rules text[] not null default '{}',
  -- What the server has noticed about the session, for lists: contract.md#session-flags.
  flags text[] not null default '{}',
  constraint kyc_sessions_pkey primary key (id)
) partition by range (id);

-- Lists. Ascending: where keys are added at the end of a range, Postgres fills its pages, and where they are added at the beginning it leaves
-- pages half empty. Lists are read in either direction. Lists of all sessions of a company merge those of each status.
create index kyc_sessions_by_status on kyc_sessions (company_id, status, created_at, id);
create index kyc_sessions_by_instance on kyc_sessions (company_id, instance_id, status, created_at, id);
create index kyc_sessions_with_flags on kyc_sessions (company_id, created_at, id) where flags <> '{}';
-- References by their bytes, so that it finds those that begin with a text, too.
create index kyc_sessions_by_reference on kyc_sessions (company_id, external_reference collate "C", created_at, id)
  where external_reference is not null;
-- Not "where status in ...", or else the planner prefers this index for the lists of a company.
create index kyc_sessions_expiring on kyc_sessions (expires_at) where completed_at is null;
-- Sessions whose personal data has not been destroyed, by when they were finished or expired: retention looks for the oldest of each version of an
-- instance.
create index kyc_sessions_finished on kyc_sessions (version_id, completed_at) where redacted_at is null and completed_at is not null;
create index kyc_sessions_left on kyc_sessions (version_id, expires_at) where redacted_at is null and completed_at is null;
create index kyc_sessions_with_files on kyc_sessions (version_id, coalesce(completed_at, expires_at)) where files_begun > 0;

-- The first id of a time.
create function first_id_of(at timestamptz) returns uuid language sql immutable parallel safe as $$
  select (lpad(to_hex(least(greatest((extract(epoch from at) * 1000)::bigint, 0), 281474976710655)), 12, '0')
    || '00000000000000000000')::uuid
$$;

-- The time at the beginning of an id.
create function time_of_id(id uuid) returns timestamptz language sql immutable parallel safe as $$
  select to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
$$;

-- Creates the partitions of the next months, one for each (UTC), each from where the one before it ends: there is no gap, and no default partition,
-- whose rows would have to be moved. It runs with the rights of the table's owner, because the service may not change tables.
create procedure roll_session_partitions() language plpgsql as $$
declare
  low uuid;
  high uuid;
  part text;
begin
  perform pg_advisory_xact_lock(hashtext('doorlock session partitions'));
  loop
    select substring(pg_get_expr(relpartbound, oid) from $re$TO \('([0-9a-f-]{36})'\)$re$)::uuid into strict low
    from pg_inherits join pg_class on oid = inhrelid where inhparent = 'kyc_sessions'::regclass
    order by 1 desc limit 1;
    exit when time_of_id(low) > now() + interval '3 months';
    high := first_id_of((date_trunc('month', time_of_id(low) at time zone 'UTC') + interval '1 month') at time zone 'UTC');
    part := 'kyc_sessions_' || to_char(time_of_id(low) at time zone 'UTC', 'YYYYMM');
    -- `attach` lets others read and write meanwhile, unlike `create table ... partition of`.
    execute format('create table %I (like kyc_sessions including defaults including constraints) with (fillfactor = 50)', part);
    execute format('alter table kyc_sessions attach partition %I for values from (%L) to (%L)', part, low, high);
  end loop;
end
$$;

do $$
begin
  execute format('alter procedure roll_session_partitions() security definer set search_path = %I, pg_temp',
    current_schema());
end
$$;

-- The months before this one have a partition together, for processes whose clocks are wrong. A session grows to the threefold while it is
-- answered. With half of each page left free, its rows stay on their page, and most changes touch no index.
do $$
begin
  execute format('create table kyc_sessions_first partition of kyc_sessions for values from (minvalue) to (%L) with (fillfactor = 50)',
    first_id_of(date_trunc('month', now() at time zone 'UTC') at time zone 'UTC'));
end
$$;

call roll_session_partitions();

-- The key that seals the personal data of a session, itself sealed under SECRET_KEY. Without it, nobody can read the data. The keys have a table
-- of their own, without a reference to the session, so that it can be backed up apart and for a shorter time (docs/privacy.md).
create table kyc_session_keys (
  session_id uuid primary key,
  sealed_key bytea not null,
  sealed_with text not null -- which SECRET_KEY sealed it
);

create index kyc_session_keys_sealed_with on kyc_session_keys (sealed_with);

-- The bytes of progress as Postgres would print it if it were not sealed. 9 is the length of the mark of a sealed text, 28 what sealing adds.
create function kyc_progress_bytes(progress jsonb) returns bigint language sql immutable parallel safe as $$
  select coalesce(sum(octet_length(to_json(key)::text) + 4 + case
      when jsonb_typeof(value) = 'string' and starts_with(value #>> '{}', 'sealed.1.')
      then (octet_length(value #>> '{}') - 9) * 3 / 4 - 28
      else octet_length(value::text)
    end), 2)
  from jsonb_each(progress)
$$;

-- Which required steps lack a whole answer, and the codes of the rules that the answers break, in the order of the workflow. `rules` is what
-- `kyc_completion_rules` returns, `results` the session's `step_results`. A step is whole only if each file that it names is the session's, and no other step
-- names it; a document or selfie only if they are pictures. The page ends no session before each step that no rule skips is answered or, if it is
-- optional, skipped: so a rule after an optional step, the captcha or the review applies without an answer. `sent` is what the result says, and null before completion: until
-- then, the end of a document's number counts as the number. Where a match ends the session, the page looks for each document or person among the
-- earlier sessions, and the result has it. Conditions instead of one query, because hardly any session meets one of them.
create function kyc_completion(
  rules jsonb, results jsonb, of_session uuid, sent jsonb default null,
  ends_on_match boolean default false, mode text default null, flags text[] default null, out missing text[], out failed text[]
) language plpgsql stable as $$
declare
  files jsonb;
  pictures jsonb;
  skipped text[];
begin
  -- Each expression costs a transaction 5 µs, and this one judges most sessions of a simple workflow.
  if results = '{}' and rules -> 'rules' = '[]' and coalesce(sent, '{}') = '{}' and ends_on_match is not true then
    -- Ids are letters, digits, underscores and hyphens.
    missing := translate((rules -> 'needed')::text, '[]', '{}');
    failed := '{}';
    return;
  end if;
  files := '[]';
  pictures := '[]';
  skipped := '{}';
  failed := '{}';
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
end
$$;

-- A session, those that it resubmits, and those that resubmit it.
create function kyc_session_chain(of_session uuid) returns uuid[] language sql stable as $$
  with recursive before (id, previous_session_id) as (
    select id, previous_session_id from kyc_sessions where id = of_session
    union all
    select p.id, p.previous_session_id from before b join kyc_sessions p on p.id = b.previous_session_id
  ), after (id, next_session_id) as (
    select id, next_session_id from kyc_sessions where id = of_session
    union all
    select n.id, n.next_session_id from after a join kyc_sessions n on n.id = a.next_session_id
  )
  select array(
    select id from before union select previous_session_id from before where previous_session_id is not null
    union select id from after union select next_session_id from after where next_session_id is not null
  )
$$;

-- The required steps without a whole answer of a session that ends without being completed.
create function kyc_missing_steps(of_session uuid, of_version uuid, results jsonb) returns text[] language sql stable as $$
  select missing from kyc_instance_versions v left join kyc_instance_versions whole on whole.id = v.restricted_from
    cross join lateral kyc_completion(coalesce(whole.completion_rules, v.completion_rules), results, of_session)
  where v.id = of_version
$$;

-- How many sessions were created, completed and so on by day (UTC), counted as their events reach the log. Whoever moves events to the log
-- holds its end locked, so nobody waits for these rows.
create table kyc_session_days (
  company_id uuid not null,
  day date not null,
  instance_id uuid not null,
  mode text not null check (mode in ('prod', 'dev')),
  created int not null,
  completed int not null,
  failed int not null,
  cancelled int not null,
  expired int not null,
  primary key (company_id, day, instance_id, mode)
);

create function count_session_events() returns trigger language plpgsql as $$
begin
  insert into kyc_session_days as known (company_id, day, instance_id, mode, created, completed, failed, cancelled, expired)
  select company_id, (created_at at time zone 'UTC')::date, (data ->> 'instance_id')::uuid, data ->> 'mode',
    count(*) filter (where type = 'kyc.session.created'), count(*) filter (where type = 'kyc.session.completed'),
    count(*) filter (where type = 'kyc.session.failed'), count(*) filter (where type = 'kyc.session.cancelled'),
    count(*) filter (where type = 'kyc.session.expired')
  from added
  where type in ('kyc.session.created', 'kyc.session.completed', 'kyc.session.failed', 'kyc.session.cancelled', 'kyc.session.expired')
    -- An unusual event must not keep all others from the log.
    and data ? 'instance_id' and data ->> 'mode' in ('prod', 'dev')
    -- Nothing in an event may keep it from the log.
    and data ->> 'instance_id' is not null and data ->> 'mode' is not null
  group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (company_id, day, instance_id, mode) do update set created = known.created + excluded.created,
    completed = known.completed + excluded.completed, failed = known.failed + excluded.failed,
    cancelled = known.cancelled + excluded.cancelled, expired = known.expired + excluded.expired;
  return null;
end
$$;

create trigger count_session_events after insert on events referencing new table as added
  for each statement execute function count_session_events();

-- A session that has expired may be resumed, and ends once more, or be cancelled. It is counted where it ended, so its expiry is taken back.
-- Not if the event of the expiry is no longer in the log: then a month has passed.
create function take_back_expiries() returns trigger language plpgsql as $$
begin
  if exists (select from added where type in ('kyc.session.resumed', 'kyc.session.cancelled')) then
    update kyc_session_days d set expired = greatest(d.expired - back.n, 0)
    from (
      select before.company_id, (before.created_at at time zone 'UTC')::date as day, before.data ->> 'instance_id' as instance_id,
        before.data ->> 'mode' as mode, count(*)::int as n
      from added e cross join lateral (
        select * from events
        where company_id = e.company_id and data ->> 'id' = e.data ->> 'id' and position < e.position
          and type in ('kyc.session.expired', 'kyc.session.resumed', 'kyc.session.cancelled')
        order by position desc limit 1
      ) as before
      where e.type in ('kyc.session.resumed', 'kyc.session.cancelled') and before.type = 'kyc.session.expired'
      group by 1, 2, 3, 4
    ) as back
    where d.company_id = back.company_id and d.day = back.day and d.instance_id::text = back.instance_id and d.mode = back.mode;
  end if;
  return null;
end
$$;

-- After `count_session_events`: triggers run in the order of their names.
create trigger take_back_expiries after insert on events referencing new table as added
  for each statement execute function take_back_expiries();
