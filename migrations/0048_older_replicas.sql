-- What replicas of earlier versions may have written while they served beside newer ones, after the migration that mended it.

-- As 0039: workflows that were restricted from a restricted one.
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

-- As 0043 and 0044: keys whose creator was not stored, and the proposals that such keys have made.
update api_keys k set created_by = e.actor_id from audit_events e
where k.created_by is null and e.company_id = k.company_id and e.action = 'api_key.created' and e.resource_id = k.id
  and e.actor_kind = 'user';

update kyc_reviews r set proposed_person = k.created_by
from audit_events e join api_keys k on k.company_id = e.company_id and k.id = e.actor_id
where r.status = 'proposed' and r.proposed_by = 'api' and r.proposed_person is null and e.company_id = r.company_id
  and e.resource_id = r.session_id and e.action = 'kyc_session.review_proposed' and e.actor_kind = 'api_key';
