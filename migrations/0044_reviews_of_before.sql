-- In a transaction of its own: the one before locks the whole table, and this takes long if there are many reviews.
update kyc_reviews r set session_created_at = s.created_at,
  proposed_person = case when r.proposed_by <> 'api' then r.proposed_by::uuid end
from kyc_sessions s where s.id = r.session_id;
