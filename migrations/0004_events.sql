-- Events of companies (docs/contract.md#company-events). A statement that changes something writes its event to the outbox in the same
-- transaction. Each batch of the outbox then moves to the log.

create table event_outbox (
  number bigint primary key generated always as identity,
  id uuid not null default gen_random_uuid(),
  company_id uuid not null,
  type text not null,
  data jsonb not null,
  created_at timestamptz(3) not null default now()
);

-- Both functions use the index, however Postgres would plan for itself. The outbox is empty most of the time, and a plan for an empty table
-- reads the whole table, with every row that was deleted since the last vacuum.

-- The smallest numbers in the outbox, in order, at most so many.
create function oldest_events(most int) returns bigint[] language plpgsql stable set enable_seqscan = off as $$
begin
  return array(select number from event_outbox order by number limit most);
end
$$;

-- Deletes these events from the outbox and returns them, except those that are no longer there.
create function take_events(numbers bigint[]) returns setof event_outbox language plpgsql rows 10 set enable_seqscan = off as $$
begin
  return query delete from event_outbox where number = any (numbers) returning *;
end
$$;

-- The position of the newest event in the log. Whoever moves a batch locks this row until the batch is committed, so positions have no
-- gaps, and an event becomes visible only after all events with smaller positions.
create table event_log_end (
  only_row boolean primary key default true check (only_row),
  position bigint not null
);
insert into event_log_end (position) values (0);

create table events (
  position bigint not null,
  id uuid not null,
  company_id uuid not null,
  type text not null,
  data jsonb not null,
  created_at timestamptz(3) not null
) partition by range (created_at);

create index events_feed on events (company_id, position);
create index events_type on events (company_id, type, position);
create index events_resource on events (company_id, (data ->> 'id'), position);
create index events_id on events (id);

-- Creates the partitions of the last 30 days, of the next two weeks, and of the outbox, and drops those whose last event is more than 30 days
-- old. After a long stop, the outbox may have events from before it: those that nobody may read any more are deleted. After a jump of the
-- clock, it may have events of later weeks. A partition holds the events of a week that begins on a Monday (UTC). It runs with the rights of
-- the tables' owner, because the service may not change tables.
create procedure roll_event_partitions() language plpgsql as $$
declare
  week timestamp;
  old regclass;
begin
  perform pg_advisory_xact_lock(hashtext('doorlock event partitions'));
  delete from event_outbox where created_at <= now() - interval '30 days';
  for week in
    select first from date_trunc('week', now() at time zone 'UTC') as this,
      generate_series(this - interval '5 weeks', this + interval '2 weeks', interval '1 week') as first
    where first::date + 7 >= (now() at time zone 'UTC')::date - 30
    union
    select date_trunc('week', created_at at time zone 'UTC') from event_outbox
  loop
    if to_regclass('events_' || to_char(week, 'YYYYMMDD')) is null then
      execute format('create table %I (like events including defaults including constraints)',
        'events_' || to_char(week, 'YYYYMMDD'));
      execute format('alter table events attach partition %I for values from (%L) to (%L)',
        'events_' || to_char(week, 'YYYYMMDD'), week at time zone 'UTC', (week + interval '1 week') at time zone 'UTC');
    end if;
  end loop;
  -- `drop` locks all partitions. While it waited for a backup, every delivery and every reader of the feed would wait behind it.
  perform set_config('lock_timeout', '200ms', true);
  for old in
    select inhrelid::regclass from pg_inherits join pg_class c on c.oid = inhrelid
    -- `case`, so that only names of these partitions are read as dates.
    where case inhparent when 'events'::regclass
      then to_date(right(c.relname, 8), 'YYYYMMDD') + 7 < (now() at time zone 'UTC')::date - 30
    end
  loop
    begin
      execute format('drop table %s', old);
    exception
      when lock_not_available then
        -- The next call drops it.
        exit;
      -- A view of the operator's own, or another owner. The other partitions need not wait for that.
      when dependent_objects_still_exist or insufficient_privilege then
        raise warning 'doorlock keeps old events: %', sqlerrm;
    end;
  end loop;
end
$$;

do $$
begin
  execute format('alter procedure roll_event_partitions() security definer set search_path = %I, pg_temp',
    current_schema());
end
$$;

call roll_event_partitions();

-- Sessions and keys expire without a statement of their own. A row says up to which time they have their event.
create table event_watermarks (
  name text primary key,
  reached timestamptz(3) not null default now()
);
insert into event_watermarks (name) values ('kyc.session.expired'), ('api_key.expiring');
