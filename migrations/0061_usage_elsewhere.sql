-- USAGE_SINK=clickhouse: the rows of usage are in ClickHouse, and Postgres has only the counts for the limits of plans.

-- Whether the calls of this batch also go into api_usage. The process that adds the batch may have another USAGE_SINK.
alter table api_usage_batches add column with_rows boolean not null default true;

-- Rows that ClickHouse has not taken, of processes that could not keep them. Housekeeping sends them. A row that arrives twice counts once.
create table api_usage_unsent (
  id uuid primary key,
  rows jsonb not null, -- an array, as it is sent
  written_at timestamptz(3) not null default now()
);
