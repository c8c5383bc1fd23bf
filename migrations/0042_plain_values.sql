-- Whether a value of a sealed session is plain: a replica of an earlier version has added it. The background pass seals it.
alter table kyc_sessions add column if not exists has_plain boolean not null default false;

-- An operator may have created column and index in advance (docs/operations.md#upgrade).
create index if not exists kyc_sessions_has_plain on kyc_sessions (id) where has_plain;

create function note_plain_values() returns trigger language plpgsql as $$
begin
  new.has_plain := true;
  return new;
end
$$;

-- A trigger, because processes of earlier versions do not know the column. `strict`: otherwise the path would look into arrays.
create trigger note_plain_values before update of progress, result, metadata on kyc_sessions
  for each row when (new.sealed and not new.has_plain and (
    new.progress @? 'strict $.* ? (@.type() != "string" || !(@ starts with "sealed.1."))'
    or new.result @? 'strict $ ? (@.type() != "string" || !(@ starts with "sealed.1."))'
    or new.metadata @? 'strict $ ? (@.type() != "string" || !(@ starts with "sealed.1."))'
  ))
  execute function note_plain_values();
