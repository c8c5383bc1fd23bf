-- The users and platform keys that were shown a link to the session: with it, they could have answered for the end user.
alter table kyc_sessions add column link_shown_to uuid[] not null default '{}';
