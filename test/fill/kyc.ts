import type { Scale } from "./scale.ts"

/** Instances, their sessions in every state, and what comes about in a session. */
export const kyc = ({ companies, host, sealed, sessions }: Scale): ReadonlyArray<string> => [
  // Each company has one, and the host ten more; all are configured as the host's first.
  `create temp table host_instance as
   select i.id, i.version_id, v.config, v.workflow
   from kyc_instances i join kyc_instance_versions v on v.id = i.version_id
   where i.company_id = '${host}' order by i.created_at, i.id limit 1`,
  `insert into kyc_instances (id, company_id, name, public_key, version_id, created_at)
   select pg_temp.id_of('instance', n), case when n <= 10 then '${host}'::uuid else pg_temp.id_of('company', n - 10) end,
     'Instance ' || n, 'kyc_pk_' || substr(md5(n::text), 1, 24), pg_temp.id_of('version', n),
     pg_temp.moment(n, ${companies + 10})
   from generate_series(1, ${companies + 10}) n`,
  `insert into kyc_instance_versions (id, instance_id, company_id, config, workflow, created_at)
   select i.version_id, i.id, i.company_id, h.config, h.workflow, i.created_at
   from kyc_instances i, host_instance h where i.id <> h.id`,

  // Those of the host that were cancelled are all of one instance, those that failed of another.
  `insert into kyc_sessions (id, instance_id, company_id, version_id, mode, status, external_reference,
     success_redirect_url, metadata, progress, result, token_hash, expires_at, created_at, started_at, updated_at,
     completed_at, captcha_verified_at, captcha_score, files_begun, flags)
   select pg_temp.session_id(n), coalesce(pg_temp.id_of('instance', instance), h.id), pg_temp.company_of(n),
     coalesce(pg_temp.id_of('version', instance), h.version_id), case when chance % 50 = 0 then 'dev' else 'prod' end, status,
     case when chance % 4 > 0 then 'customer-' || chance % ${Math.ceil(sessions / 2)} end, 'https://partner.example/welcome',
     '${JSON.stringify(sealed.metadata)}'::jsonb,
     case when status in ('created', 'cancelled') then '{}' else '${JSON.stringify(sealed.progress)}'::jsonb end,
     case when status = 'completed' then '${JSON.stringify(sealed.result)}'::jsonb end,
     coalesce(known.hash, pg_temp.made_hash('session', n)),
     case when known.hash is null then at + interval '1 hour' else now() + interval '30 days' end, at,
     case when status <> 'created' then at + interval '20 seconds' end,
     case when status = 'created' then at else at + interval '4 minutes' end,
     case when status in ('completed', 'failed', 'cancelled') then at + interval '4 minutes' end,
     case when status = 'completed' then at + interval '1 minute' end, case when status = 'completed' then 0.9 end,
     (n % 2)::smallint, case when status = 'completed' and chance % 8 = 0 then '{dedup_match}'::text[] else '{}' end
   from generate_series(1, ${sessions}) n
     left join known_sessions known on known.place = n
     cross join host_instance h,
     lateral (select pg_temp.chance(n), pg_temp.moment(n, ${sessions})) as a (chance, at),
     lateral (
       select case chance % 20 when 0 then 'running' when 1 then 'failed' when 2 then 'cancelled' when 3 then 'created'
         when 4 then 'created' else 'completed' end
     ) as b (status),
     lateral (
       select case when n % 10 = 0 then 10 + 1 + n / 10 % ${companies}
         when status = 'cancelled' then 1 when status = 'failed' then 2 when chance % 100 = 99 then 3 end
     ) as c (instance)`,

  // Of completed sessions, half are decided, most of them by one of the companies' users; in a thousand, somebody is at one. So in
  // a company with nine tenths of the sessions, as many wait.
  `insert into kyc_reviews (session_id, company_id, instance_id, status, waiting_since, claimed_by, claimed_until, proposal,
     proposed_by, proposed_at, decision, decided_by, decided_at, session_created_at)
   select s.id, s.company_id, s.instance_id, state, s.completed_at,
     case when state = 'pending' and n % 1000 = 0 then u.id end, case when state = 'pending' and n % 1000 = 0 then now() + interval '5 minutes' end,
     case when state = 'proposed' then 'approved' end, case when state = 'proposed' then u.id::text end,
     case when state = 'proposed' then s.completed_at + interval '1 hour' end,
     case when state = 'decided' then 'approved' end,
     case when state = 'decided' then case when n % 7 = 0 then 'api' else u.id::text end end,
     case when state = 'decided' then s.completed_at + interval '1 day' end, s.created_at
   from (select *, row_number() over (order by id) as n from kyc_sessions where status = 'completed') s
     left join lateral (select id from users u where u.company_id = s.company_id order by id limit 1) u on true,
     lateral (select case when u.id is null or n % 2 = 0 then 'pending' when n % 50 = 1 then 'proposed' else 'decided' end) as c (state)`,
  `insert into kyc_session_notes (id, session_id, company_id, text, written_by, created_at)
   select pg_temp.id_of('note', row_number() over (order by session_id)), session_id, company_id, 'Checked', decided_by, decided_at
   from kyc_reviews where decided_by is not null`,
  `update kyc_sessions set step_seconds = '{"person": 20, "document": 60}' where status <> 'created'`,

  `insert into kyc_session_days (company_id, day, instance_id, mode, created, completed, failed, cancelled, expired)
   select company_id, (created_at at time zone 'UTC')::date, instance_id, mode, count(*), count(*) filter (where status = 'completed'),
     count(*) filter (where status = 'failed'), count(*) filter (where status = 'cancelled'), count(*) filter (where completed_at is null)
   from kyc_sessions group by 1, 2, 3, 4`,

  `insert into kyc_files (id, session_id, content_type, size, sha256, created_at)
   select pg_temp.id_of('file', n), pg_temp.session_id(n), 'image/jpeg', 100000 + n % 900000,
     pg_temp.made_hash('file', n), pg_temp.moment(n, ${sessions}) + interval '2 minutes'
   from generate_series(1, ${sessions}, 2) n`,

  `insert into kyc_checks (id, session_id, company_id, place, kind, outcome, content, file_ids, engine, at)
   select pg_temp.id_of('check', row_number() over (order by s.id, place)), s.id, s.company_id, place,
     case place when 0 then 'document.mrz' else 'document.expiry' end, 'agrees', 'sealed.1.' || repeat('A', 200),
     array[pg_temp.id_of('file', 1)], 'doorlock 1', s.completed_at + interval '1 minute'
   from kyc_sessions s, generate_series(0, 1) as place where s.status = 'completed'`,

  // What was read is wiped after an hour; one in fifty should have been.
  `insert into kyc_readings (file_id, session_id, asked_at, read_at, content)
   select pg_temp.id_of('file', n), pg_temp.session_id(n), at, at,
     case when n % 50 = 1 then 'sealed.1.' || repeat('A', 400) end
   from generate_series(1, ${sessions}, 8) n,
     lateral (select now() - interval '1 hour' - interval '1 second' * (n % 3000000)) as m (at)`,

  // One in fifty has a band that a hundred thousand others have, too.
  `insert into kyc_photo_bands (mac, file_id)
   select case when n % 100 = 1 then band else 1000 * n + band end, pg_temp.id_of('file', n)
   from generate_series(1, ${sessions}, 2) n, generate_series(0, 3) as band`,

  // One browser in a hundred has had many sessions.
  `insert into kyc_browser_marks (session_id, mark, created_at)
   select pg_temp.session_id(n), pg_temp.made_hash('browser', case when n % 100 = 1 then 1 else n end),
     now() - interval '1 second' * (n % 3000000)
   from generate_series(1, ${sessions}, 2) n`,

  // What is being uploaded; one in fifty was never ended.
  `insert into kyc_file_uploads (id, session_id, alive_until)
   select pg_temp.id_of('upload', n), pg_temp.session_id(n), now() + case when n % 50 = 0 then interval '-3 days' else interval '1 hour' end
   from generate_series(1, ${Math.min(2_000, sessions)}) n`,

  // Three sessions out of four have given a document; most documents are seen once.
  `insert into kyc_dedup_records (key_hmac, company_id, mode, first_session_id, last_session_id, seen_count, first_seen_at, last_seen_at)
   select pg_temp.made_hash('document', n), pg_temp.company_of(n), 'prod', pg_temp.session_id(n), pg_temp.session_id(n),
     case when n % 10 = 0 then 2 else 1 end, pg_temp.moment(n, ${sessions}), pg_temp.moment(n, ${sessions})
   from generate_series(1, ${sessions}) n where n % 4 > 0`,
  `insert into kyc_dedup_sightings (session_id, key_hmac, seen_at)
   select pg_temp.session_id(n), pg_temp.made_hash('document', n), pg_temp.moment(n, ${sessions}) + interval '1 minute'
   from generate_series(1, ${sessions}) n where n % 4 > 0`,

  // Tokens of captchas are forgotten a day after they have expired; one in fifty should have been.
  `insert into kyc_captcha_tokens (jti_hash, session_id, expires_at)
   select pg_temp.made_hash('captcha', n), pg_temp.session_id(n),
     now() - case when n % 50 = 0 then interval '25 hours' else interval '1 second' * (n % 80000) end
   from generate_series(1, ${Math.ceil(sessions / 10)}) n`,

  // One in fifty still holds what nobody can open any more.
  `insert into kyc_handoffs (id, session_id, secret_hash, status, sealed, receipt_hash, device, expires_at, created_at, claimed_at, ended_at)
   select pg_temp.id_of('handoff', n), pg_temp.session_id(n), pg_temp.made_hash('handoff', n),
     case when n % 50 = 5 then 'waiting' else 'confirmed' end,
     case when n % 50 = 5 then pg_temp.made_hash('sealed', n) end,
     case when n % 50 <> 5 then pg_temp.made_hash('receipt', n) end, case when n % 50 <> 5 then 'phone' end,
     at + interval '10 minutes', at, case when n % 50 <> 5 then at end, case when n % 50 <> 5 then at end
   from generate_series(5, ${sessions}, 5) n, lateral (select pg_temp.moment(n, ${sessions})) as m (at)`
]
