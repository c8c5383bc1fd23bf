-- Reviews (docs/contract.md#reviews): what the company decides on its completed sessions, and its notes about them.

create table kyc_reviews (
  session_id uuid primary key,
  session_created_at timestamptz(3) not null, -- for lists of sessions, which are in the order of creation
  company_id uuid not null,
  instance_id uuid not null,
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
  proposed_person uuid, -- the user behind a proposal, also if a key of theirs made it
  proposed_at timestamptz(3),
  decision text check (decision in ('approved', 'declined', 'resubmission')),
  reasons text[] not null default '{}',
  decided_by text,
  decided_at timestamptz(3),
  -- Lists are in this order.
  ordered_at timestamptz(3) not null generated always as (coalesce(decided_at, waiting_since)) stored,
  standing text not null generated always as (coalesce(decision, status)) stored,
  check ((status = 'decided') = (decision is not null)),
  check ((decision is null) = (decided_by is null) and (decision is null) = (decided_at is null)),
  check (status <> 'proposed' or proposal is not null),
  check ((proposal is null) = (proposed_by is null) and (proposal is null) = (proposed_at is null))
);

create index kyc_reviews_of_company on kyc_reviews (company_id, status, ordered_at, session_id);
create index kyc_reviews_of_instance on kyc_reviews (instance_id, status, ordered_at, session_id);
-- Lists of sessions by their review.
create index kyc_reviews_by_standing on kyc_reviews (company_id, standing, session_created_at, session_id);
create index kyc_reviews_by on kyc_reviews (company_id, decided_by, ordered_at, session_id) where decided_by is not null;
create index kyc_reviews_claimed on kyc_reviews (claimed_by) where claimed_by is not null;

create table kyc_session_notes (
  id uuid primary key,
  session_id uuid not null,
  company_id uuid not null,
  text text not null,
  written_by text not null, -- a user's id or `api`
  created_at timestamptz(3) not null default now()
);

create index kyc_session_notes_of_session on kyc_session_notes (session_id, created_at, id);
