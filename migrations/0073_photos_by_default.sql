-- Photos are checked unless a config says otherwise. Versions from before keep what they had.
update kyc_instance_versions
set config = config || jsonb_build_object('checks',
  case jsonb_typeof(config -> 'checks') when 'object' then config -> 'checks' else '{}' end || '{"photos": false}')
where not looks_at_photos;

-- A generated column cannot be changed before Postgres 17.
alter table kyc_instance_versions
  drop column looks_at_photos,
  add column looks_at_photos boolean not null generated always as (
    coalesce(config #>> '{checks,photos}', 'true') = 'true'
  ) stored;
