import type { Scale } from "./scale.ts"

/** Companies with their users, sign-ins, invitations and platform keys. */
export const accounts = ({ companies, host, keys }: Scale): ReadonlyArray<string> => [
  `insert into companies (id, name, created_at)
   select pg_temp.id_of('company', n), 'Company ' || n, pg_temp.moment(n, ${companies})
   from generate_series(1, ${companies}) n`,

  // Two of each, and of the host twenty.
  `insert into users (id, company_id, email, password_hash, role, created_at)
   select pg_temp.id_of('user', n),
     case when n <= 20 then '${host}'::uuid else pg_temp.id_of('company', 1 + n % ${companies}) end,
     'user' || n || '@company.example', '$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0$' || repeat('A', 43),
     case n % 3 when 0 then 'owner' when 1 then 'member' else 'viewer' end, pg_temp.moment(n, ${2 * companies})
   from generate_series(1, ${2 * companies}) n`,

  // One in fifty can no longer be used.
  `insert into dashboard_sessions (token_hash, user_id, created_at, last_seen_at, expires_at, id, user_agent)
   select pg_temp.made_hash('dashboard session', n), pg_temp.id_of('user', 1 + n % ${2 * companies}),
     seen - interval '1 day', seen,
     case when n % 100 = 0 then now() - interval '1 hour' else now() + interval '20 days' end,
     pg_temp.id_of('dashboard session', n), 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0'
   from generate_series(1, ${4 * companies}) n,
     lateral (select now() - case when n % 100 = 50 then interval '20 days' else interval '1 minute' * (n % 9000) end) as at (seen)`,

  `insert into invitations (id, company_id, email, role, token_hash, invited_by, created_at, expires_at)
   select pg_temp.id_of('invitation', n), pg_temp.id_of('company', 1 + n % ${companies}),
     'invited' || n || '@company.example', 'member', pg_temp.made_hash('invitation', n), pg_temp.id_of('user', n),
     at, at + interval '7 days'
   from generate_series(1, ${2 * companies}) n,
     lateral (select now() - case when n % 100 = 0 then interval '40 days' else interval '1 hour' * (n % 700) end) as at (at)`,

  // The caller knows the tokens of some of them.
  `insert into api_keys (id, company_id, name, scopes, token_hash, token_prefix, expires_at, created_at, last_used_at, revoked_at)
   select pg_temp.id_of('api key', n), pg_temp.id_of('company', 1 + n % ${companies}), 'server ' || n, '{kyc:sessions}',
     coalesce(known.hash, pg_temp.made_hash('api key', n)), 'dlk_' || substr(md5(n::text), 1, 4),
     case when n % 20 = 1 and known.hash is null then now() - interval '1 day' end, pg_temp.moment(n, ${keys}),
     now() - interval '1 minute' * (pg_temp.chance(n) % 5000),
     case when n % 10 = 1 and known.hash is null then now() - interval '2 days' end
   from generate_series(1, ${keys}) n left join known_keys known on known.place = n`
]
