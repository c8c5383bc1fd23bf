-- The events before which the clock was set back: each with its time, and the later time of the event before it. Between two of
-- them a trail is in the order of time, so that a period is found by where it begins and ends.
create table audit_setbacks (
  company_id uuid not null,
  position bigint not null,
  at timestamptz(3) not null,
  previous_at timestamptz(3) not null check (previous_at > at),
  primary key (company_id, position)
);

-- As in migration 0008; and it notes when an event is earlier than the last.
create or replace function audit_append() returns trigger language plpgsql as $$
declare
  head audit_heads;
  last_at timestamptz(3);
begin
  if num_nonnulls(new.position, new.at, new.previous_hash, new.hash) > 0 then
    raise exception 'the place of an audit event in its chain is not the writer''s to say'
      using errcode = 'insufficient_privilege';
  end if;
  insert into audit_heads (company_id, position, hash)
    values (new.company_id, 0, decode(repeat('00', 32), 'hex')) on conflict do nothing;
  -- A statement of its own, which sees what whoever held the lock has done.
  select * into head from audit_heads where company_id = new.company_id for update;
  new.position := head.position + 1;
  new.at := date_trunc('milliseconds', clock_timestamp());
  new.previous_hash := head.hash;
  new.hash := sha256(convert_to(audit_text(new), 'UTF8'));
  update audit_heads set position = new.position, hash = new.hash where company_id = new.company_id;
  select at into last_at from audit_events where company_id = new.company_id order by position desc limit 1;
  if new.at < last_at then
    insert into audit_setbacks (company_id, position, at, previous_at)
      values (new.company_id, new.position, new.at, last_at);
  end if;
  return new;
end
$$;

-- Waits for what is being written as before, so that 0012 sees all that this function has not seen: the trigger stays as it is, but
-- this locks the table against writers. `lock table` would take a privilege that an owner need not have.
alter table audit_events enable always trigger audit_events_append;
