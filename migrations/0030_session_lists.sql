-- What the server has noticed about a session, for lists: contract.md#session-flags. Sessions that finished before this migration have none.
alter table kyc_sessions add column if not exists flags text[] not null default '{}';

-- When each step was first saved, in seconds after the session was created, by the step's id. It says nothing about the end user.
alter table kyc_sessions add column step_seconds jsonb not null default '{}';

create index if not exists kyc_sessions_flagged on kyc_sessions (company_id, created_at desc, id desc) where flags <> '{}';

-- References by their bytes, so that it finds those that begin with a text, too.
-- An operator may have created it in advance (docs/operations.md#upgrade).
create index if not exists kyc_sessions_by_reference
  on kyc_sessions (company_id, external_reference collate "C", created_at, id) where external_reference is not null;
