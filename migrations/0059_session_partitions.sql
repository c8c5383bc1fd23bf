-- The table of sessions becomes the first partition of a new one with its name. Its rows stay where they are, and since 0058 Postgres knows that
-- they belong there: nothing is read, and nobody waits for longer than the names take to change.
lock table kyc_sessions in access exclusive mode;

do $$
begin
  -- The table was empty a moment ago.
  if not exists (select from pg_constraint where conrelid = 'kyc_sessions'::regclass and conname = 'kyc_sessions_first') then
    execute format('alter table kyc_sessions add constraint kyc_sessions_first check (id < %L)', end_of_first_sessions());
  end if;
end
$$;

drop function end_of_first_sessions();

alter table kyc_sessions rename to kyc_sessions_first;

create table kyc_sessions (like kyc_sessions_first including defaults including constraints) partition by range (id);
alter table kyc_sessions drop constraint kyc_sessions_first;

do $$
declare
  known record;
begin
  -- The new table has the same indexes, also those of your own. They take over those of the first partition, which are the same under another
  -- name.
  for known in
    select c.relname as name, i.indisprimary, i.indisunique, pg_get_indexdef(i.indexrelid) as definition
    from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = 'kyc_sessions_first'::regclass and i.indisvalid
  loop
    execute format('alter index %I rename to %I', known.name, case when starts_with(known.name, 'kyc_sessions_')
      then 'kyc_sessions_first_' || substr(known.name, 14) else left(known.name, 40) || '_of_kyc_sessions_first' end);
    if known.indisprimary then
      alter table kyc_sessions add constraint kyc_sessions_pkey primary key (id);
    -- That of previous sessions stays with the first partition, for processes of earlier versions.
    elsif not known.indisunique then
      execute regexp_replace(known.definition, ' ON .*? USING ', ' ON kyc_sessions USING ');
    end if;
  end loop;
  execute format('alter table kyc_sessions attach partition kyc_sessions_first for values from (minvalue) to (%s)',
    (select substring(pg_get_constraintdef(oid) from '''[0-9a-f-]{36}''') from pg_constraint
      where conrelid = 'kyc_sessions_first'::regclass and conname = 'kyc_sessions_first'));
  -- Whoever could read and write sessions can do so at once.
  for known in
    select coalesce(nullif(grantee, 0)::regrole::text, 'public') as grantee, privilege_type
    from pg_class, aclexplode(relacl) where oid = 'kyc_sessions_first'::regclass and grantee <> relowner
  loop
    execute format('grant %s on kyc_sessions to %s', known.privilege_type, known.grantee);
    -- What hangs on sessions has no foreign key any more, so nobody but the owner may delete them.
    if known.privilege_type = 'DELETE' then
      execute format('revoke delete on kyc_sessions, kyc_sessions_first from %s', known.grantee);
    end if;
  end loop;
end
$$;

alter table kyc_sessions_first drop constraint kyc_sessions_first;
drop trigger note_plain_values on kyc_sessions_first;
drop trigger note_next_session on kyc_sessions_first;

create trigger note_plain_values before update of progress, result, metadata on kyc_sessions
  for each row when (new.sealed and not new.has_plain and (
    new.progress @? 'strict $.* ? (@.type() != "string" || !(@ starts with "sealed.1."))'
    or new.result @? 'strict $ ? (@.type() != "string" || !(@ starts with "sealed.1."))'
    or new.metadata @? 'strict $ ? (@.type() != "string" || !(@ starts with "sealed.1."))'
  ))
  execute function note_plain_values();
create trigger note_next_session after insert on kyc_sessions
  for each row when (new.previous_session_id is not null) execute function note_next_session();
