-- The last event of each company that doorlock itself is known to have written: an HMAC of its place and hash (docs/audit.md), under
-- a key that the database has not. Written by the service, in the transaction of the event; it needs no trigger to keep it, for
-- nobody else can make one.
create table audit_seals (
  company_id uuid primary key,
  position bigint not null check (position > 0),
  seal bytea not null check (octet_length(seal) = 32)
);
