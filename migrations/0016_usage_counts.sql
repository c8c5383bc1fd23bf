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

-- Until the last process of the version before has ended, what it writes to api_usage_months is counted here, too. It does not
-- say where calls of test keys went: to the sandbox, if any version of the API has one.
create function api_usage_month_counted() returns trigger language plpgsql as $$
begin
  insert into api_usage_counts as total (company_id, api_id, upstream, month, used)
  select s.company_id, s.api_id,
    case when new.mode = 'test' and exists (
      select from api_versions v where v.api_id = s.api_id and v.sandbox_upstream_url <> v.upstream_url
    ) then 'sandbox' else 'live' end,
    new.month, new.used - case when tg_op = 'UPDATE' then old.used else 0 end
  from subscriptions s where s.id = new.subscription_id
  on conflict (company_id, api_id, upstream, month) do update set used = total.used + excluded.used;
  return null;
end
$$;

-- Before the counts are taken over: it waits for who writes, and whoever writes after it is counted by it.
create trigger api_usage_months_counted after insert or update on api_usage_months
  for each row execute function api_usage_month_counted();

insert into api_usage_counts (company_id, api_id, upstream, month, used)
select s.company_id, s.api_id,
  case when m.mode = 'test' and sandbox.present then 'sandbox' else 'live' end as upstream, m.month, sum(m.used)
from api_usage_months m
  join subscriptions s on s.id = m.subscription_id
  cross join lateral (
    select exists (
      select from api_versions v where v.api_id = s.api_id and v.sandbox_upstream_url <> v.upstream_url
    ) as present
  ) as sandbox
group by s.company_id, s.api_id, 3, m.month;
