-- What the document of a version becomes in the description of published APIs, made when it is checked. Of a document that was
-- stored before there was this table, or checked by an earlier revision of the check, a running service makes it.
create table api_version_fragments (
  version_id uuid primary key references api_versions,
  revision integer not null, -- of the check that has looked at the document; 0: none has
  claimed_until timestamptz(3), -- until then a process looks at it, and no other one does
  problem text, -- why the document is not published
  lengths integer[], -- bytes of the content's sections, in their order
  content text -- the sections, one behind the other
);

-- Those that are to be checked come first.
create index api_version_fragments_revision on api_version_fragments (revision, version_id);

-- Also of a document that a replica of the version before stores meanwhile.
create function api_versions_unchecked() returns trigger language plpgsql as $$
begin
  insert into api_version_fragments (version_id, revision) values (new.id, 0) on conflict do nothing;
  return null;
end $$;

create trigger api_versions_unchecked after insert on api_versions
  for each row when (new.openapi is not null) execute function api_versions_unchecked();

insert into api_version_fragments (version_id, revision) select id, 0 from api_versions where openapi is not null;
