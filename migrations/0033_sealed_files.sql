-- Whether the content in the file store, and that of the copy, is sealed by the session's key. That of earlier versions is, once a process that
-- serves has sealed it.
alter table kyc_files add column sealed boolean not null default false;

create index kyc_files_unsealed on kyc_files (id) where not sealed;
