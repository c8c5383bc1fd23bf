-- Sessions on their way from one device to another.
create table kyc_handoffs (
  id uuid primary key,
  session_id uuid not null references kyc_sessions,
  secret_hash bytea not null, -- SHA-256 of the one-time secret in the link
  status text not null default 'waiting'
    check (status in ('waiting', 'claimed', 'confirmed', 'refused', 'cancelled')),
  sealed bytea, -- the session token and what goes with it; opens with the secret only. Gone once it is of no more use
  receipt_hash bytea, -- SHA-256 of what the device that claimed it shows itself by
  device text, -- that device, coarsely
  code text check (code ~ '^[1-9][0-9]$'), -- what its end user reads off the first device
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  claimed_at timestamptz(3),
  ended_at timestamptz(3), -- when it was confirmed, refused or cancelled
  constraint kyc_handoffs_secret_hash_key unique (secret_hash),
  check (status <> 'waiting' or receipt_hash is null),
  check (status not in ('claimed', 'confirmed', 'refused') or (receipt_hash is not null and device is not null)),
  check (code is null or status = 'claimed'),
  check (sealed is null or status in ('waiting', 'claimed'))
);

create index kyc_handoffs_session on kyc_handoffs (session_id);

-- A new one takes the place of the one before it.
create unique index kyc_handoffs_open on kyc_handoffs (session_id) where status in ('waiting', 'claimed');

create index kyc_handoffs_sealed on kyc_handoffs (expires_at) where sealed is not null;
