-- Usage moves into partitions (0064). It refers to keys and subscriptions without a foreign key, as 0052 did for other tables: a partition with
-- foreign keys could be neither attached nor dropped without locking all keys. The statement that inserts usage takes the ids from a key that it
-- reads, and no statement deletes a key or a subscription: the service's role has no right to.
do $$
declare
  key record;
begin
  for key in select conname from pg_constraint where contype = 'f' and conrelid = 'api_usage'::regclass
  loop
    execute format('alter table api_usage drop constraint %I', key.conname);
  end loop;
  -- Days before this are in the first partition, which is the table of before. Processes of earlier versions write there until then, also if the
  -- next migrations wait for weeks. `not valid`: the next migration looks at the rows that are there.
  execute format('alter table api_usage add constraint api_usage_first check (day < %L) not valid',
    date_trunc('month', now() at time zone 'UTC' + interval '2 months')::date);
end
$$;
