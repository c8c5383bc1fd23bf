-- The token of a resumed session is derived from SECRET_KEY, the session's id and this, so that a retry of the creation gets it, too. Null: the
-- session was not resumed, or by an earlier version.
alter table kyc_sessions add column token_salt bytea;
