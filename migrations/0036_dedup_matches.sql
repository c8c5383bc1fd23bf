-- The other sessions of a document or person, newest first: a session's id begins with its time.
-- An operator may have created it in advance (docs/operations.md#upgrade).
create index if not exists kyc_dedup_sightings_key on kyc_dedup_sightings (key_hmac, session_id desc);
