-- Sessions whose personal data has not been destroyed, by when they were finished or expired: retention looks for the oldest of each version of an
-- instance. An operator may have created them in advance (docs/operations.md#upgrade).
create index if not exists kyc_sessions_finished on kyc_sessions (version_id, completed_at)
  where redacted_at is null and completed_at is not null;
create index if not exists kyc_sessions_left on kyc_sessions (version_id, expires_at)
  where redacted_at is null and completed_at is null;
create index if not exists kyc_sessions_with_files on kyc_sessions (version_id, coalesce(completed_at, expires_at))
  where files_begun > 0;
