-- Of an image: the copy that partners read, drawn anew from the file without its metadata. It is in the file store beside the file.
-- Null of a PDF, and of an image from before there were copies until it is read.
alter table kyc_files
  add column copy_size integer check (copy_size > 0), -- bytes
  add column copy_sha256 bytea check (octet_length(copy_sha256) = 32),
  add constraint kyc_files_copy check ((copy_size is null) = (copy_sha256 is null));
