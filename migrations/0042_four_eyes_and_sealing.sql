-- Whether a value of a sealed session is plain: a replica of an earlier version has added it. The background pass seals it.
alter table kyc_sessions add column if not exists has_plain boolean not null default false;

create index if not exists kyc_sessions_has_plain on kyc_sessions (id) where has_plain;

create function note_plain_values() returns trigger language plpgsql as $$
begin
  new.has_plain := true;
  return new;
end
$$;

-- A trigger, because processes of earlier versions do not know the column. `strict`: otherwise the path would look into arrays.
create trigger note_plain_values before update of progress, result, metadata on kyc_sessions
  for each row when (new.sealed and not new.has_plain and (
    new.progress @? 'strict $.* ? (@.type() != "string" || !(@ starts with "sealed.1."))'
    or new.result @? 'strict $ ? (@.type() != "string" || !(@ starts with "sealed.1."))'
    or new.metadata @? 'strict $ ? (@.type() != "string" || !(@ starts with "sealed.1."))'
  ))
  execute function note_plain_values();

-- The user who created a key; null if the operator did. The user may be removed later. For four eyes, a key counts as this user.
alter table api_keys add column created_by uuid;

update api_keys k set created_by = e.actor_id from audit_events e
where e.company_id = k.company_id and e.action = 'api_key.created' and e.resource_id = k.id and e.actor_kind = 'user';

alter table kyc_reviews
  -- The user behind a proposal, also if a key of theirs made it.
  add column proposed_person uuid,
  -- For lists of sessions, which are in the order of creation.
  add column session_created_at timestamptz(3),
  add column standing text not null generated always as (coalesce(decision, status)) stored;

update kyc_reviews r set session_created_at = s.created_at,
  proposed_person = case when r.proposed_by <> 'api' then r.proposed_by::uuid end
from kyc_sessions s where s.id = r.session_id;

-- Processes of the version before do not know the column. After this migration they may serve for a while.
create function note_session_created_at() returns trigger language plpgsql as $$
begin
  select created_at into new.session_created_at from kyc_sessions where id = new.session_id;
  return new;
end
$$;

create trigger note_session_created_at before insert on kyc_reviews
  for each row when (new.session_created_at is null) execute function note_session_created_at();

alter table kyc_reviews alter column session_created_at set not null;

create index kyc_reviews_standing on kyc_reviews (company_id, standing, session_created_at desc, session_id desc);
