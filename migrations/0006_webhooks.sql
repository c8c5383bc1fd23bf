-- Webhooks (docs/contract.md#webhook-endpoints): the endpoints of companies, what each one is sent, and every attempt to send it.

create table webhook_endpoints (
  id uuid primary key,
  company_id uuid not null references companies,
  url text not null,
  description text,
  -- Null: events of all types.
  event_types text[],
  signing text not null check (signing in ('v1', 'v1a')),
  -- Of v1a: the public part of its newest key.
  public_key text,
  disabled_at timestamptz(3),
  disabled_reason text check (disabled_reason in ('by_user', 'gone', 'failing')),
  removed_at timestamptz(3),
  -- How many attempts have failed since the last success, and when the first of them did.
  failures int not null default 0,
  failing_since timestamptz(3),
  created_at timestamptz(3) not null default now(),
  check ((disabled_at is null) = (disabled_reason is null)),
  check ((signing = 'v1a') = (public_key is not null))
) with (fillfactor = 80);

create index webhook_endpoints_of_company on webhook_endpoints (company_id, created_at, id) where removed_at is null;
create index webhook_endpoints_removed on webhook_endpoints (removed_at) where removed_at is not null;

-- Deliveries are signed by each secret of their endpoint that has not expired. `sealed` is encrypted with a key derived from
-- SECRET_KEY, and `sealed_by` says with which.
create table webhook_secrets (
  id uuid primary key,
  endpoint_id uuid not null references webhook_endpoints on delete cascade,
  sealed bytea not null,
  sealed_by text not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3)
);

create index webhook_secrets_of_endpoint on webhook_secrets (endpoint_id, created_at);
create index webhook_secrets_expiring on webhook_secrets (expires_at) where expires_at is not null;
create index webhook_secrets_sealed_by on webhook_secrets (sealed_by, id);

-- The number of an endpoint's last delivery, apart from the endpoint because every event changes it.
create table webhook_sequences (
  endpoint_id uuid primary key references webhook_endpoints on delete cascade,
  last bigint not null default 0
) with (fillfactor = 50);

-- One event for one endpoint. `created_at` is the event's, so an event and its deliveries are in partitions of the same week.
create table webhook_deliveries (
  id uuid not null,
  endpoint_id uuid not null,
  -- 1, 2, 3, ... within the endpoint.
  sequence bigint not null,
  event_id uuid not null,
  event_type text not null,
  -- pending: an attempt is due at `next_attempt_at`; held: the endpoint is disabled.
  status text not null check (status in ('pending', 'succeeded', 'failed', 'held')),
  -- In all, and since `round` began: sending again begins another round.
  attempts int not null default 0,
  tries int not null default 0,
  round int not null default 1,
  next_attempt_at timestamptz(3),
  created_at timestamptz(3) not null,
  check ((status = 'pending') = (next_attempt_at is not null))
) partition by range (created_at);

create index webhook_deliveries_id on webhook_deliveries (id);
create index webhook_deliveries_listed on webhook_deliveries (endpoint_id, status, sequence);
create index webhook_deliveries_recoverable on webhook_deliveries (endpoint_id, created_at) where status in ('failed', 'held');

create table webhook_attempts (
  delivery_id uuid not null,
  at timestamptz(3) not null,
  milliseconds int not null,
  -- Of the answer; null if there was none.
  status int,
  -- Why the attempt failed, in words; null if it succeeded.
  reason text,
  -- The beginning of the answer's body, encrypted; empty for a success.
  answer text
) partition by range (at);

create index webhook_attempts_of_delivery on webhook_attempts (delivery_id, at);

-- Creates partitions: of deliveries a week each (from Monday, UTC), the same weeks as those of events; of attempts a day each. Drops those
-- whose last row is more than 30 days old. It runs with the rights of the tables' owner, because the service may not change tables.
create procedure roll_webhook_partitions() language plpgsql as $$
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

do $$
begin
  execute format('alter procedure roll_webhook_partitions() security definer set search_path = %I, pg_temp',
    current_schema());
end
$$;

call roll_webhook_partitions();
