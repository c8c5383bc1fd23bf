-- Whether it was tried to make the copy of an image from before there were copies, and none can be made: it is not tried again.
alter table kyc_files add column has_no_copy boolean not null default false;
