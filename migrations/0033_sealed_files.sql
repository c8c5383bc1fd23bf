-- Whether the content in the file store, and that of the copy, is sealed by the session's key. That of earlier versions is, once a process that
-- serves has sealed it.
alter table kyc_files add column if not exists sealed boolean not null default false;

-- An operator may have created column and index in advance (docs/operations.md#upgrade).
create index if not exists kyc_files_unsealed on kyc_files (id) where not sealed;
