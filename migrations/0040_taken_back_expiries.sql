-- A session that has expired may be resumed, and ends once more, or be cancelled. It is counted where it ended, so its expiry is taken back.
-- Not if the event of the expiry is no longer in the log: then a month has passed.
create function count_expiries_back(ended jsonb) returns void language sql as $$
  update kyc_session_days d set expired = greatest(d.expired - back.n, 0)
  from (
    select before.company_id, (before.created_at at time zone 'UTC')::date as day, before.data ->> 'instance_id' as instance_id,
      before.data ->> 'mode' as mode, count(*)::int as n
    from jsonb_to_recordset(ended) as e (company_id uuid, id text, position bigint) cross join lateral (
      select * from events
      where company_id = e.company_id and data ->> 'id' = e.id and position < e.position
        and type in ('kyc.session.expired', 'kyc.session.resumed', 'kyc.session.cancelled')
      order by position desc limit 1
    ) as before
    where before.type = 'kyc.session.expired'
    group by 1, 2, 3, 4
  ) as back
  where d.company_id = back.company_id and d.day = back.day and d.instance_id::text = back.instance_id and d.mode = back.mode
$$;

create function take_back_expiries() returns trigger language plpgsql as $$
declare
  ended jsonb := (
    select jsonb_agg(jsonb_build_object('company_id', company_id, 'id', data ->> 'id', 'position', position)) from added
    where type in ('kyc.session.resumed', 'kyc.session.cancelled')
  );
begin
  if ended is not null then
    perform count_expiries_back(ended);
  end if;
  return null;
end
$$;

-- After `count_session_events`: triggers run in the order of their names.
create trigger take_back_expiries after insert on events referencing new table as added
  for each statement execute function take_back_expiries();

select count_expiries_back(jsonb_agg(jsonb_build_object('company_id', company_id, 'id', data ->> 'id', 'position', position)))
from events where type in ('kyc.session.resumed', 'kyc.session.cancelled');
