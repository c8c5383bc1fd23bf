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
