-- Calls through the gateway, added up in batches, in a partition for each month. They refer to keys and subscriptions without a foreign key, as
-- sessions do (0008). With USAGE_SINK=clickhouse the rows are in ClickHouse, and Postgres has only the counts for the limits of plans.

create table api_usage (
  key_id uuid not null,
  day date not null, -- UTC, when the call came
  outcome text not null, -- by the status of the answer and who made it; see marketplace/usage/model.ts
  subscription_id uuid not null,
  calls bigint not null,
  constraint api_usage_pkey primary key (key_id, day, outcome)
) partition by range (day);

create index api_usage_subscription on api_usage (subscription_id, day);

-- Creates the partitions of the next months, one for each (UTC), each from where the one before it ends. With a number of months, it drops what is
-- older than the current month and as many before it. It runs with the rights of the table's owner, because the service may not change tables.
create procedure roll_usage_partitions(kept_months int default null) language plpgsql as $$
declare
  this_month date := date_trunc('month', now() at time zone 'UTC');
  low date;
  high date;
  part text;
  oldest date;
begin
  if kept_months is not null and not has_table_privilege(session_user, 'api_usage', 'delete') then
    raise exception 'who may not delete usage may not drop it either' using errcode = 'insufficient_privilege';
  end if;
  if kept_months < 0 then
    raise exception 'the number of months must not be negative' using errcode = 'invalid_parameter_value';
  end if;
  perform pg_advisory_xact_lock(hashtext('doorlock usage partitions'));
  -- For the text of bounds.
  perform set_config('datestyle', 'ISO', true);
  -- While it waited for a long read or a backup, all who read and write usage would wait behind it. What it does not get done, the next call does.
  perform set_config('lock_timeout', '200ms', true);
  begin
    loop
      select max(substring(pg_get_expr(relpartbound, oid) from $re$TO \('([0-9-]+)'\)$re$)::date) into strict low
      from pg_inherits join pg_class on oid = inhrelid where inhparent = 'api_usage'::regclass;
      exit when low > this_month + interval '3 months';
      high := date_trunc('month', low + interval '1 month');
      part := 'api_usage_' || to_char(low, 'YYYYMM');
      execute format('create table %I (like api_usage including defaults including constraints)', part);
      lock table api_usage_other in access exclusive mode;
      execute format('with early as (delete from api_usage_other where day >= %L and day < %L returning *) insert into %I select * from early',
        low, high, part);
      execute format('alter table api_usage attach partition %I for values from (%L) to (%L)', part, low, high);
    end loop;
  exception when lock_not_available then
    null;
  end;
  oldest := this_month - make_interval(months => kept_months);
  for part in
    select relname from (
      select relname, substring(pg_get_expr(relpartbound, oid) from $re$TO \('([0-9-]+)'\)$re$)::date as ending
      from pg_inherits join pg_class on oid = inhrelid where inhparent = 'api_usage'::regclass
    ) as known where ending <= oldest order by ending
  loop
    begin
      execute format('drop table %I', part);
    exception
      when lock_not_available then
        exit;
      -- A view of the operator's own, or another owner. The other months need not wait for that.
      when dependent_objects_still_exist or insufficient_privilege then
        raise warning 'doorlock keeps old usage: %', sqlerrm;
    end;
  end loop;
  delete from api_usage_other where day < oldest;
end
$$;

do $$
begin
  execute format('alter procedure roll_usage_partitions(int) security definer set search_path = %I, pg_temp',
    current_schema());
end
$$;

do $$
begin
  execute format('create table api_usage_first partition of api_usage for values from (minvalue) to (%L)',
    date_trunc('month', now() at time zone 'UTC')::date);
end
$$;
-- A row of a process whose clock is wrong keeps no others from being counted.
create table api_usage_other partition of api_usage default;

call roll_usage_partitions();

-- What a company has used of an API's month, over all its keys and subscriptions: who cancels and subscribes again goes on
-- counting. The calls of api_usage that count, added in the same statement.
create table api_usage_counts (
  company_id uuid not null references companies, -- the subscriber
  api_id uuid not null references apis,
  upstream text not null check (upstream in ('live', 'sandbox')), -- where the calls went; each has a month of its own
  month date not null, -- its first day, UTC
  used bigint not null,
  primary key (company_id, api_id, upstream, month)
);

-- Batches of usage that wait to be added to the counts. One process at a time adds what it has counted, together with what waits here;
-- a process that finds another one at it leaves its batch here. So many processes that count calls with the same keys do not
-- wait for each other's rows, and a row changes once for all of them.
create table api_usage_batches (
  recorder uuid not null, -- a process
  batch bigint not null,
  -- Of the calls at each place.
  key_ids uuid[] not null,
  upstreams text[] not null,
  days date[] not null,
  outcomes text[] not null,
  calls bigint[] not null,
  last_at timestamptz[] not null, -- the last of these calls
  -- Whether the calls of this batch also go into api_usage. The process that adds the batch may have another USAGE_SINK.
  with_rows boolean not null default true,
  written_at timestamptz(3) not null default now(),
  primary key (recorder, batch)
);

-- The last batch each process has written, so that one whose answer was lost is not counted twice.
create table api_usage_recorders (
  id uuid primary key, -- a process
  batch bigint not null,
  written_at timestamptz(3) not null default now()
);

-- Rows that ClickHouse has not taken, of processes that could not keep them. Housekeeping sends them. A row that arrives twice counts once.
create table api_usage_unsent (
  id uuid primary key,
  rows jsonb not null, -- an array, as it is sent
  written_at timestamptz(3) not null default now()
);
