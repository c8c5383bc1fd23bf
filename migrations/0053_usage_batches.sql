-- Batches of usage that wait to be added to the counts. One process at a time adds what it has counted, together with what waits here;
-- a process that finds another one at it leaves its batch here. So many processes that count calls with the same keys do not
-- wait for each other's rows, and a row changes once for all of them.
create table api_usage_batches (
  recorder uuid not null, -- a process
  batch bigint not null,
  -- Of the calls at each place.
  key_ids uuid[] not null,
  upstreams text[] not null,
  days date[] not null,
  outcomes text[] not null,
  calls bigint[] not null,
  last_at timestamptz[] not null, -- the last of these calls
  written_at timestamptz(3) not null default now(),
  primary key (recorder, batch)
);
