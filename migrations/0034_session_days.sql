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

-- A trigger, so that processes of earlier versions count as well.
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

-- Sessions from before. Those whose event is still in the outbox are left out: the trigger will count them.
insert into kyc_session_days (company_id, day, instance_id, mode, created, completed, failed, cancelled, expired)
select company_id, day, instance_id, mode, coalesce(sum(n) filter (where what = 'created'), 0),
  coalesce(sum(n) filter (where what = 'completed'), 0), coalesce(sum(n) filter (where what = 'failed'), 0),
  coalesce(sum(n) filter (where what = 'cancelled'), 0), coalesce(sum(n) filter (where what = 'expired'), 0)
from (
  select company_id, (created_at at time zone 'UTC')::date as day, instance_id, mode, 'created' as what, 1 as n from kyc_sessions
  union all
  select company_id, (completed_at at time zone 'UTC')::date, instance_id, mode, status, 1 from kyc_sessions
  where completed_at is not null
  union all
  select company_id, (expires_at at time zone 'UTC')::date, instance_id, mode, 'expired', 1 from kyc_sessions
  where completed_at is null and expires_at <= (select reached from event_watermarks where name = 'kyc.session.expired')
  union all
  select company_id, (created_at at time zone 'UTC')::date, (data ->> 'instance_id')::uuid, data ->> 'mode',
    substr(type, length('kyc.session.') + 1), -1
  from event_outbox where type like 'kyc.session.%'
) as counted
group by 1, 2, 3, 4
having count(*) filter (where n > 0) > 0;

-- The keys of a company that expire soon.
create index if not exists api_keys_ending on api_keys (company_id, expires_at) where revoked_at is null and expires_at is not null;
