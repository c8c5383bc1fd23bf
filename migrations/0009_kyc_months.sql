-- Retention that drops whole months of sessions (docs/operations.md#months-that-are-dropped).

-- The partitions of sessions that were dropped. Rows of other tables that belong to their sessions are deleted afterwards, in batches.
create table dropped_session_months (
  part text primary key,
  low uuid not null,
  high uuid not null, -- the first id behind the month
  dropped_at timestamptz(3) not null default now(),
  cleared_at timestamptz(3) -- since then, no table has a row of these sessions
);
create index dropped_session_months_uncleared on dropped_session_months (high) where cleared_at is null;

-- The partitions of sessions whose month will have ended so many months before that time, oldest first.
create function due_session_partitions(months int, at timestamptz) returns table (part regclass, low uuid, high uuid, due timestamptz)
language sql stable as $$
  select part, low, high, due from (
    select c.oid::regclass as part,
      coalesce(substring(bound from $re$FROM \('([0-9a-f-]{36})'\)$re$), '00000000-0000-0000-0000-000000000000')::uuid as low,
      substring(bound from $re$TO \('([0-9a-f-]{36})'\)$re$)::uuid as high
    from pg_inherits join pg_class c on c.oid = inhrelid, pg_get_expr(c.relpartbound, c.oid) as bound
    where inhparent = 'kyc_sessions'::regclass
  ) as parts, lateral (select (time_of_id(high) at time zone 'UTC' + make_interval(months => $1)) at time zone 'UTC') as over (due)
  where due <= $2 order by high
$$;

-- Whether a session with such an id has personal data that is not destroyed. The ids are constants of the statements, so Postgres opens one
-- partition. Both statements read the index of those sessions, however Postgres would plan by itself: they are asked while others wait.
create function has_unredacted_sessions(low uuid, high uuid) returns boolean language plpgsql stable
set enable_seqscan = off set enable_sort = off set enable_bitmapscan = off set jit = off as $$
declare
  found_one boolean;
begin
  -- Not `exists`, which would ignore the order.
  execute format($q$select coalesce(
    (select true from kyc_sessions where id >= %1$L and id < %2$L and redacted_at is null and completed_at is not null
      order by version_id, completed_at limit 1),
    (select true from kyc_sessions where id >= %1$L and id < %2$L and redacted_at is null and completed_at is null
      order by version_id, expires_at limit 1), false)$q$, low, high)
    into found_one;
  return found_one;
end
$$;

-- What keeps a month from being dropped: `open` (a session has not ended), `data` (one is not redacted), `files` (the content of a file is
-- still to be deleted); null: nothing.
create function session_month_hold(low uuid, high uuid) returns text language plpgsql stable set enable_seqscan = off set jit = off as $$
declare
  is_open boolean;
begin
  if has_unredacted_sessions(low, high) then
    execute format('select exists (select from kyc_sessions where id >= %L and id < %L and redacted_at is null and completed_at is null
      and expires_at > now())', low, high) into is_open;
    return case when is_open then 'open' else 'data' end;
  end if;
  -- A redaction deletes the row of a file, and adds the job that deletes its content, in one transaction.
  if exists (select from kyc_file_uploads u where u.session_id >= low and u.session_id < high)
    or exists (select from kyc_files f where f.session_id >= low and f.session_id < high)
    or exists (
      select from (
        select j.lane from work_jobs j where j.kind = 'kyc.file.removal' union all
        select p.lane from work_poison p where p.kind = 'kyc.file.removal'
      ) as removal, lateral (select substring(lane from '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$')::uuid) as of (session_id)
      where of.session_id >= low and of.session_id < high
    )
  then
    return 'files';
  end if;
  return null;
end
$$;

-- Drops the oldest month that may be dropped, at most one: until the end of the transaction, nobody else reads or writes sessions. Returns it with
-- null, after those before it with what holds them (`session_month_hold`, or `locks`: others use the table; or `refused`: by Postgres). It runs with the
-- rights of the table's owner, because the service may not change tables. So it trusts no caller: it drops nothing that is not redacted, and nothing for a role
-- that could not redact it.
create function drop_session_month(months int) returns table (part text, hold text) language plpgsql as $$
declare
  month record;
  began timestamptz;
begin
  if not has_table_privilege(session_user, 'kyc_sessions', 'update') then
    raise exception 'who may not change sessions may not drop them either' using errcode = 'insufficient_privilege';
  end if;
  perform pg_advisory_xact_lock(hashtext('doorlock session partitions'));
  -- Whoever comes while this waits for its locks waits, too.
  perform set_config('lock_timeout', '200ms', true);
  for month in select * from due_session_partitions(greatest(months, 0), now()) loop
    part := month.part::text;
    hold := session_month_hold(month.low, month.high);
    if hold is null then
      -- It is asked again under the lock, in as much time: a process whose clock is wrong may have added a session. After a redaction of many
      -- sessions, the index is slow until it has been read once, or until a vacuum.
      began := clock_timestamp();
      perform has_unredacted_sessions(month.low, month.high);
      if clock_timestamp() - began > interval '200 milliseconds' then
        hold := 'locks';
      else
        begin
          execute 'lock table only kyc_sessions in access exclusive mode';
          -- Who uses the partition uses the table, but for a vacuum.
          execute format('lock table only %s in access exclusive mode nowait', month.part);
          if has_unredacted_sessions(month.low, month.high) then
            raise lock_not_available;
          end if;
          execute format('drop table %s', month.part);
          insert into dropped_session_months (part, low, high) values (part, month.low, month.high)
          on conflict on constraint dropped_session_months_pkey do update set low = excluded.low, high = excluded.high, dropped_at = now(), cleared_at = null;
        exception
          when lock_not_available then
            hold := 'locks';
          -- A view of the operator's own, or another owner. The other months need not wait for that.
          when dependent_objects_still_exist or insufficient_privilege then
            hold := 'refused';
        end;
      end if;
    end if;
    return next;
    exit when hold is null;
  end loop;
end
$$;

do $$
begin
  execute format('alter function drop_session_month(int) security definer set search_path = %I, pg_temp', current_schema());
end
$$;
