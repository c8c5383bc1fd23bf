-- To find the same picture in other sessions of a company (docs/checks.md#duplicates): each photo's perceptual hash in parts, as HMACs
-- under SECRET_KEY. They end with the file.
create table kyc_photo_bands (
  mac bigint not null, -- the first 64 bits; of the company, the mode, the number of the part and its value
  file_id uuid not null references kyc_files on delete cascade,
  -- Ids begin with their time, so the newest photos with a part are found first.
  primary key (mac, file_id)
);
create index kyc_photo_bands_file on kyc_photo_bands (file_id);
