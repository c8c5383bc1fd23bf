-- Creates the partitions of the next months, one for each (UTC), each from where the one before it ends: there is no gap, and no default partition,
-- whose rows would have to be moved. It runs with the rights of the table's owner, because the service may not change tables.
create procedure roll_session_partitions() language plpgsql as $$
declare
  low uuid;
  high uuid;
  part text;
begin
  perform pg_advisory_xact_lock(hashtext('doorlock session partitions'));
  loop
    select substring(pg_get_expr(relpartbound, oid) from $re$TO \('([0-9a-f-]{36})'\)$re$)::uuid into strict low
    from pg_inherits join pg_class on oid = inhrelid where inhparent = 'kyc_sessions'::regclass
    order by 1 desc limit 1;
    exit when time_of_id(low) > now() + interval '3 months';
    high := first_id_of((date_trunc('month', time_of_id(low) at time zone 'UTC') + interval '1 month') at time zone 'UTC');
    part := 'kyc_sessions_' || to_char(time_of_id(low) at time zone 'UTC', 'YYYYMM');
    -- `attach` lets others read and write meanwhile, unlike `create table ... partition of`.
    execute format('create table %I (like kyc_sessions including defaults including constraints) with (fillfactor = 50)', part);
    execute format('alter table kyc_sessions attach partition %I for values from (%L) to (%L)', part, low, high);
  end loop;
end
$$;

do $$
begin
  execute format('alter procedure roll_session_partitions() security definer set search_path = %I, pg_temp',
    current_schema());
end
$$;

call roll_session_partitions();
