-- `restricted_from` is always a version with all steps. Before this migration, a session that asked again after one that had itself asked again
-- had a version restricted from a restricted one. Both ways give the same workflow, so of two versions with the same steps one is enough.
create temporary table chained on commit drop as
with recursive above as (
  select id, restricted_from, restricted_from as first_id, steps from kyc_instance_versions where restricted_from is not null
  union all
  select a.id, a.restricted_from, v.restricted_from, a.steps
  from above a join kyc_instance_versions v on v.id = a.first_id where v.restricted_from is not null
)
select a.id, a.first_id,
  first_value(a.id) over (partition by a.first_id, a.steps order by a.restricted_from <> a.first_id, a.id) as kept_id
from above a join kyc_instance_versions v on v.id = a.first_id where v.restricted_from is null;

update kyc_sessions s set version_id = c.kept_id from chained c where s.version_id = c.id and c.id <> c.kept_id;
update kyc_instance_versions v set restricted_from = c.first_id from chained c
where v.id = c.id and c.id = c.kept_id and v.restricted_from <> c.first_id;
delete from kyc_instance_versions v using chained c where v.id = c.id and c.id <> c.kept_id;
