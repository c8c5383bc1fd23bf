-- The indexes of 0055 are better. Lists of all sessions of a company merge those of each status.
drop index if exists kyc_sessions_company, kyc_sessions_status, kyc_sessions_instance_status, kyc_sessions_flagged, kyc_reviews_standing;

-- A session is looked up by its id, and then its token is compared. Tokens have 256 random bits, so nobody has to keep them unique.
alter table kyc_sessions drop constraint if exists kyc_sessions_token_hash_key;

-- A session grows to the threefold while it is answered. With room for that, its rows stay on their page, and most changes touch no index.
alter table kyc_sessions set (fillfactor = 50);
