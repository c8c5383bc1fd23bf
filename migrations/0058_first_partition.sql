-- In a transaction of its own, because both read many rows. Neither keeps anybody from writing.
update kyc_sessions p set next_session_id = n.id from kyc_sessions n
where n.previous_session_id is not null and p.id = n.previous_session_id and p.next_session_id is null;

do $$
begin
  if exists (select from pg_constraint where conrelid = 'kyc_sessions'::regclass and conname = 'kyc_sessions_first') then
    alter table kyc_sessions validate constraint kyc_sessions_first;
  end if;
end
$$;
