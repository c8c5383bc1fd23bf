-- The session that a review asked for is noted in the one before it, where one row holds one: over several partitions, an index could not
-- keep two sessions from following the same one. A trigger, because processes of earlier versions do not know the column.
alter table kyc_sessions add column next_session_id uuid;

create function note_next_session() returns trigger language plpgsql as $$
begin
  update kyc_sessions set next_session_id = new.id where id = new.previous_session_id and next_session_id is null;
  if not found then
    raise exception 'the session % has a next one, or does not exist', new.previous_session_id
      using errcode = 'unique_violation', constraint = 'kyc_sessions_next';
  end if;
  return null;
end
$$;

create trigger note_next_session after insert on kyc_sessions
  for each row when (new.previous_session_id is not null) execute function note_next_session();

-- What hangs on sessions refers to them without a foreign key, as 0052 did for other tables. Each statement that inserts there takes the id from
-- a session that it has locked, and no statement deletes a session. A partition with foreign keys to it could not be dropped without a look
-- at all rows that refer to any session.
do $$
declare
  key record;
begin
  for key in select conrelid::regclass as child, conname from pg_constraint where contype = 'f' and confrelid = 'kyc_sessions'::regclass
  loop
    execute format('alter table %s drop constraint %I', key.child, key.conname);
  end loop;
end
$$;

-- Sessions with ids below this are in the first partition, which is the table of before. Processes of earlier versions insert there until this
-- time, while migrations go on. `not valid`: the next migration looks at the rows that are there.
create function first_id_of(at timestamptz) returns uuid language sql immutable parallel safe as $$
  select (lpad(to_hex(least(greatest((extract(epoch from at) * 1000)::bigint, 0), 281474976710655)), 12, '0')
    || '00000000000000000000')::uuid
$$;

-- The time at the beginning of an id.
create function time_of_id(id uuid) returns timestamptz language sql immutable parallel safe as $$
  select to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
$$;

-- An empty table ends with the month before.
create function end_of_first_sessions() returns uuid language sql stable as $$
  select first_id_of((date_trunc('month', case
    when last is null then now() at time zone 'UTC' - interval '1 month'
    -- Also above ids of a process whose clock was wrong.
    else greatest(now() + interval '1 week', time_of_id(last)) at time zone 'UTC'
  end) + interval '1 month') at time zone 'UTC')
  from (select (select id from kyc_sessions order by id desc limit 1)) as newest (last)
$$;

do $$
begin
  -- The first sessions of an installation may be created before 0059.
  if exists (select from kyc_sessions) then
    execute format('alter table kyc_sessions add constraint kyc_sessions_first check (id < %L) not valid', end_of_first_sessions());
  end if;
end
$$;
