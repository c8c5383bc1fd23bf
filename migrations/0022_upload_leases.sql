-- The process that receives an upload says again and again that it lives. Once it has not for a while, it has died, and the sweep removes
-- what it has left. The default is for processes from before, which say nothing: no upload takes as long.
alter table kyc_file_uploads
  add column alive_until timestamptz(3) not null default now() + interval '1 hour';

create index kyc_file_uploads_alive on kyc_file_uploads (alive_until);

drop index kyc_file_uploads_started; -- the sweep goes by the time above
