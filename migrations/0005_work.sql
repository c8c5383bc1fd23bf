-- Work that is done later (src/work/README.md). A lane has the jobs of one kind that share a limit, such as the deliveries to one endpoint.

create table work_jobs (
  number bigint primary key generated always as identity,
  kind text not null,
  lane text not null,
  due timestamptz not null,
  -- How often it has run to its end.
  attempt integer not null default 0,
  payload jsonb not null
);

create index work_jobs_next on work_jobs (kind, lane, due, number);

-- A lane exists while it has jobs. `due` is that of its next job, or earlier. Until `lease`, only `holder` runs its jobs. Each statement that
-- adds jobs increases `version`, so that a process that releases the lane cannot overlook them.
create table work_lanes (
  kind text not null,
  key text not null,
  due timestamptz not null,
  lease timestamptz,
  holder uuid,
  version bigint not null default 1,
  primary key (kind, key)
) with (fillfactor = 70); -- a lane that gets jobs is rewritten; the spare room keeps it on its page

-- From when a process may take the lane. `greatest` ignores null.
create index work_lanes_free on work_lanes (kind, greatest(due, lease));

-- Jobs that cannot be run or settled, until the operator retries or drops them.
create table work_poison (
  number bigint primary key,
  kind text not null,
  lane text not null,
  attempt integer not null,
  payload jsonb not null,
  reason text not null,
  set_aside_at timestamptz(3) not null default now()
);

create index work_poison_kind on work_poison (kind, number);
