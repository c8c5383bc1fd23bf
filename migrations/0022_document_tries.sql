-- A check of a stored document that does not end well is tried again later and later, and then no more.
alter table api_version_fragments
  add column tries integer not null default 0, -- checks that were begun, and of which none ended well
  add column tried_revision integer not null default 0, -- of the check that tried; a later one counts anew
  add column failure text; -- how the last of them ended
