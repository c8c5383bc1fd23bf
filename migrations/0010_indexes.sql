-- What housekeeping, and the removal of a user, look for.
create index if not exists dashboard_sessions_seen on dashboard_sessions (last_seen_at);
create index if not exists invitations_expires on invitations (expires_at);
create index if not exists invitations_inviter on invitations (invited_by) where invited_by is not null;

-- The next two are of large tables. Until this migration is through, replicas that still serve write nothing to them; where that
-- takes too long, the indexes can be made beforehand, without holding up anybody (docs/operations.md, Upgrade).

-- The sessions of one instance in one status, newest first; those of every status are put together from these.
create index if not exists kyc_sessions_instance_status
  on kyc_sessions (company_id, instance_id, status, created_at desc, id desc);

-- What somebody did of each kind, however much else they did; all that they did is put together from these.
create index if not exists audit_events_actor_action on audit_events (company_id, actor_id, action, position);
