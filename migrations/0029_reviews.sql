-- Reviews (docs/contract.md#reviews): what the company decides on its completed sessions, and its notes about them.

alter table kyc_instance_versions
  -- Whether completed sessions of this version are reviewed. Stored, because every completion asks for it and a config is large.
  add column is_reviewed boolean not null
    generated always as (coalesce(config #>> '{review,mode}', '') = 'manual') stored,
  -- Of a version that has only some steps of another one, for sessions that ask for these steps again.
  add column restricted_from uuid references kyc_instance_versions,
  add column steps text[],
  add constraint kyc_instance_versions_restricted unique (restricted_from, steps),
  add check ((restricted_from is null) = (steps is null));

-- The session whose review asked for this one.
alter table kyc_sessions add column if not exists previous_session_id uuid references kyc_sessions;

-- An operator may have created column and index in advance (docs/operations.md#upgrade).
create unique index if not exists kyc_sessions_previous on kyc_sessions (previous_session_id) where previous_session_id is not null;

create table kyc_reviews (
  session_id uuid primary key references kyc_sessions on delete cascade,
  company_id uuid not null references companies,
  instance_id uuid not null references kyc_instances,
  status text not null default 'pending' check (status in ('pending', 'proposed', 'decided')),
  waiting_since timestamptz(3) not null default now(),
  -- Who is at it, until when. A user who is removed loses the claim.
  claimed_by uuid references users on delete set null,
  claimed_until timestamptz(3),
  -- The first of two decisions. Those who decide are a user's id or `api`; the user may be removed later.
  proposal text check (proposal in ('approved', 'declined', 'resubmission')),
  proposal_reasons text[],
  proposal_steps text[],
  proposed_by text,
  proposed_at timestamptz(3),
  decision text check (decision in ('approved', 'declined', 'resubmission')),
  reasons text[] not null default '{}',
  decided_by text,
  decided_at timestamptz(3),
  -- Lists are in this order.
  ordered_at timestamptz(3) not null generated always as (coalesce(decided_at, waiting_since)) stored,
  check ((status = 'decided') = (decision is not null)),
  check ((decision is null) = (decided_by is null) and (decision is null) = (decided_at is null)),
  check (status <> 'proposed' or proposal is not null),
  check ((proposal is null) = (proposed_by is null) and (proposal is null) = (proposed_at is null))
);

create index kyc_reviews_of_company on kyc_reviews (company_id, status, ordered_at, session_id);
create index kyc_reviews_of_instance on kyc_reviews (instance_id, status, ordered_at, session_id);
create index kyc_reviews_by on kyc_reviews (company_id, decided_by, ordered_at, session_id) where decided_by is not null;
create index kyc_reviews_claimed on kyc_reviews (claimed_by) where claimed_by is not null;

create table kyc_session_notes (
  id uuid primary key,
  session_id uuid not null references kyc_sessions on delete cascade,
  company_id uuid not null references companies,
  text text not null,
  written_by text not null, -- a user's id or `api`
  created_at timestamptz(3) not null default now()
);

create index kyc_session_notes_of_session on kyc_session_notes (session_id, created_at, id);

alter table users drop constraint users_role_check;
alter table users add constraint users_role_check check (role in ('owner', 'member', 'reviewer', 'viewer'));
alter table invitations drop constraint invitations_role_check;
alter table invitations add constraint invitations_role_check check (role in ('owner', 'member', 'reviewer', 'viewer'));
