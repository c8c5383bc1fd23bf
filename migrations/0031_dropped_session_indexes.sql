-- 0030 has a better index of references, and no list looks for sessions by their expiry any more.
drop index kyc_sessions_reference;
drop index kyc_sessions_unfinished;
