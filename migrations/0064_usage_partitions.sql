-- The table of usage becomes the first partition of a new one with its name. Its rows stay where they are, and since 0063 Postgres knows that they
-- belong there: nothing is read, and nobody waits for longer than the names take to change.
lock table api_usage in access exclusive mode;

alter table api_usage rename to api_usage_first;

create table api_usage (like api_usage_first including defaults including constraints) partition by range (day);
alter table api_usage drop constraint api_usage_first;

do $$
declare
  known record;
begin
  perform set_config('datestyle', 'ISO', true);
  -- The new table has the same indexes, also those of your own. They take over those of the first partition, which are the same under another
  -- name.
  for known in
    select c.relname as name, i.indisprimary, i.indisunique, pg_get_indexdef(i.indexrelid) as definition
    from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = 'api_usage_first'::regclass and i.indisvalid
  loop
    execute format('alter index %I rename to %I', known.name, case when starts_with(known.name, 'api_usage_')
      then 'api_usage_first_' || substr(known.name, 11) else left(known.name, 40) || '_of_api_usage_first' end);
    if known.indisprimary then
      alter table api_usage add constraint api_usage_pkey primary key (key_id, day, outcome);
    elsif not known.indisunique then
      execute regexp_replace(known.definition, ' ON .*? USING ', ' ON api_usage USING ');
    end if;
  end loop;
  execute format('alter table api_usage attach partition api_usage_first for values from (minvalue) to (%L)', case
    -- The months of a new installation have partitions of their own.
    when not exists (select from api_usage_first) then date_trunc('month', now() at time zone 'UTC')::date
    else (select substring(pg_get_constraintdef(oid) from '''([0-9-]+)''')::date from pg_constraint
      where conrelid = 'api_usage_first'::regclass and conname = 'api_usage_first')
  end);
  -- A row of a process whose clock is wrong keeps no others from being counted.
  alter table api_usage attach partition api_usage_other default;
  -- Whoever could read and write usage can do so at once.
  for known in
    select coalesce(nullif(grantee, 0)::regrole::text, 'public') as grantee, privilege_type
    from pg_class, aclexplode(relacl) where oid = 'api_usage_first'::regclass and grantee <> relowner
  loop
    execute format('grant %s on api_usage to %s', known.privilege_type, known.grantee);
  end loop;
end
$$;

alter table api_usage_first drop constraint api_usage_first;

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

call roll_usage_partitions();
