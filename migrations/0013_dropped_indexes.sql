-- What the indexes of 0010 do better. In a transaction of its own: it needs the tables to itself for a moment, and who has read
-- one of them and waits to write to the other, as 0010 may make them, would wait for it and be waited for.
drop index kyc_sessions_instance;
drop index audit_events_actor;
