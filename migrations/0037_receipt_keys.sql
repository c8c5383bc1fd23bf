-- Keys that sign the receipts of end users (docs/contract.md#receipts). Every public key stays published, because receipts outlive the
-- key that signed them.
create table receipt_keys (
  id uuid primary key,
  public_key bytea not null check (octet_length(public_key) = 32),
  sealed bytea not null, -- the private key, encrypted with a key derived from SECRET_KEY
  created_at timestamptz(3) not null default now(),
  retired_at timestamptz(3) -- since then, another key signs
);

create unique index receipt_keys_current on receipt_keys ((true)) where retired_at is null;
