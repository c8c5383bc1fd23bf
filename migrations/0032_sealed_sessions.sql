-- The key that seals the personal data of a session, itself sealed under SECRET_KEY. Without it, nobody can read the data. The keys have a table
-- of their own, without a reference to the session, so that it can be backed up apart and for a shorter time (docs/privacy.md).
create table kyc_session_keys (
  session_id uuid primary key,
  sealed_key bytea not null,
  sealed_with text not null -- which SECRET_KEY sealed it
);

create index kyc_session_keys_sealed_with on kyc_session_keys (sealed_with);

alter table kyc_sessions
  -- Whether progress, result and metadata are sealed. Those of earlier versions are, once a process that serves has sealed them.
  add column if not exists sealed boolean not null default false,
  -- When the personal data was destroyed.
  add column if not exists redacted_at timestamptz(3);

-- An operator may have created columns and index in advance (docs/operations.md#upgrade).
create index if not exists kyc_sessions_unsealed on kyc_sessions (id) where not sealed;

-- The bytes of progress as Postgres would print it if it were not sealed. 9 is the length of the mark of a sealed text, 28 what sealing adds.
create function kyc_progress_bytes(progress jsonb) returns bigint language sql immutable parallel safe as $$
  select coalesce(sum(octet_length(to_json(key)::text) + 4 + case
      when jsonb_typeof(value) = 'string' and starts_with(value #>> '{}', 'sealed.1.')
      then (octet_length(value #>> '{}') - 9) * 3 / 4 - 28
      else octet_length(value::text)
    end), 2)
  from jsonb_each(progress)
$$;
