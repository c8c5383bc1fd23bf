-- In a transaction of its own, because it reads all rows. It keeps nobody from writing.

-- Rows of processes whose clocks were wrong: they are after all months that the first partition has.
create table api_usage_other (like api_usage including defaults);

do $$
begin
  -- For the text of the constraint.
  perform set_config('datestyle', 'ISO', true);
  with later as (
    delete from api_usage where day >= (
      select substring(pg_get_constraintdef(oid) from '''([0-9-]+)''')::date from pg_constraint
      where conrelid = 'api_usage'::regclass and conname = 'api_usage_first'
    )
    returning *
  )
  insert into api_usage_other select * from later;
end
$$;

alter table api_usage validate constraint api_usage_first;
