-- A partition that Postgres does not drop, because a view of the operator's own is on it or because it belongs to another role, kept the partitions of
-- the next weeks from being created, too. Then no event reached the log any more, and no attempt of a delivery could be settled. Both procedures are as in
-- 0026 and 0028, but such a partition stays, and the others are dropped and created.

create or replace procedure roll_event_partitions() language plpgsql as $$
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

create or replace procedure roll_webhook_partitions() language plpgsql as $$
declare
  today date := (now() at time zone 'UTC')::date;
  part record;
begin
  perform pg_advisory_xact_lock(hashtext('doorlock webhook partitions'));
  for part in
    select parent, start, start + length as ending, parent || '_' || to_char(start, 'YYYYMMDD') as name
    from (
      select 'webhook_deliveries' as parent, interval '1 week' as length, first as start
      from generate_series(date_trunc('week', today::timestamp) - interval '5 weeks',
        date_trunc('week', today::timestamp) + interval '2 weeks', interval '1 week') as first
      where first::date + 7 >= today - 30
      union
      select 'webhook_deliveries', interval '1 week', date_trunc('week', created_at at time zone 'UTC') from event_outbox
      union
      select 'webhook_attempts', interval '1 day',
        generate_series(today - interval '1 day', today + interval '7 days', interval '1 day')
    ) as wanted
  loop
    if to_regclass(part.name) is null then
      execute format('create table %I (like %I including defaults including constraints) with (fillfactor = 80)',
        part.name, part.parent);
      execute format('alter table %I attach partition %I for values from (%L) to (%L)',
        part.parent, part.name, part.start at time zone 'UTC', part.ending at time zone 'UTC');
    end if;
  end loop;
  -- `drop` locks all partitions. While it waited for a backup, every delivery would wait behind it.
  perform set_config('lock_timeout', '200ms', true);
  for part in
    select c.relname as name from pg_inherits join pg_class c on c.oid = inhrelid
    -- `case`, so that only names of these partitions are read as dates.
    where case inhparent
      when 'webhook_deliveries'::regclass then to_date(right(c.relname, 8), 'YYYYMMDD') + 7 < today - 30
      when 'webhook_attempts'::regclass then to_date(right(c.relname, 8), 'YYYYMMDD') + 1 < today - 30
    end
  loop
    begin
      execute format('drop table %I', part.name);
    exception
      when lock_not_available then
        -- The next call drops it.
        exit;
      -- A view of the operator's own, or another owner. The other partitions need not wait for that.
      when dependent_objects_still_exist or insufficient_privilege then
        raise warning 'doorlock keeps old deliveries: %', sqlerrm;
    end;
  end loop;
end
$$;

-- `create or replace` has reset this.
do $$
begin
  execute format('alter procedure roll_event_partitions() security definer set search_path = %I, pg_temp',
    current_schema());
end
$$;

do $$
begin
  execute format('alter procedure roll_webhook_partitions() security definer set search_path = %I, pg_temp',
    current_schema());
end
$$;
