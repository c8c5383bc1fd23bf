-- In a transaction of its own: the one before locks the whole table, and this takes long if there are many reviews.
update kyc_reviews r set session_created_at = s.created_at,
  proposed_person = case when r.proposed_by <> 'api' then r.proposed_by::uuid end
from kyc_sessions s where s.id = r.session_id;

-- Of keys that have proposed a decision which waits for another person.
update kyc_reviews r set proposed_person = k.created_by
from audit_events e join api_keys k on k.company_id = e.company_id and k.id = e.actor_id
where r.status = 'proposed' and r.proposed_by = 'api' and e.company_id = r.company_id and e.resource_id = r.session_id
  and e.action = 'kyc_session.review_proposed' and e.actor_kind = 'api_key';
