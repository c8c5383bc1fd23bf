-- The user who created a key; null if the operator did. The user may be removed later. For four eyes, a key counts as this user.
alter table api_keys add column created_by uuid;

update api_keys k set created_by = e.actor_id from audit_events e
where e.company_id = k.company_id and e.action = 'api_key.created' and e.resource_id = k.id and e.actor_kind = 'user';

alter table kyc_reviews
  -- The user behind a proposal, also if a key of theirs made it.
  add column proposed_person uuid,
  -- For lists of sessions, which are in the order of creation.
  add column session_created_at timestamptz(3);

-- Processes of the version before do not know the column. After this migration they may serve for a while.
create function note_session_created_at() returns trigger language plpgsql as $$
begin
  select created_at into new.session_created_at from kyc_sessions where id = new.session_id;
  return new;
end
$$;

create trigger note_session_created_at before insert on kyc_reviews
  for each row when (new.session_created_at is null) execute function note_session_created_at();
