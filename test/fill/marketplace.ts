import type { Scale } from "./scale.ts"

/** Days of which there is usage, of each key. */
const usageDays = 100

/**
 * Publishers, each with APIs, and companies that subscribe to them. Everybody subscribes to the first API that the host has
 * published, if it has, and the host's first subscription, if it has one, has 40 keys more.
 */
export const marketplace = ({ companies, host }: Scale): ReadonlyArray<string> => {
  const publishers = Math.ceil(companies / 2)
  const apis = 2 * publishers
  return [
    `create temp table host_offer as
     select a.id as api_id, l.id as plan_id
     from publishers p join apis a on a.publisher_id = p.id join api_plans l on l.api_id = a.id
     where p.company_id = '${host}' and a.status = 'published' order by a.published_at, l.created_at limit 1`,

    `insert into publishers (id, company_id, slug, name, created_at)
     select pg_temp.id_of('publisher', n), pg_temp.id_of('company', n), 'publisher-' || n, 'Publisher ' || n,
       pg_temp.moment(n, ${publishers})
     from generate_series(1, ${publishers}) n`,
    `insert into apis (id, publisher_id, slug, name, description, status, created_at, published_at)
     select pg_temp.id_of('api', n), pg_temp.id_of('publisher', 1 + n % ${publishers}), 'api-' || n, 'API ' || n,
       'What it does, in a sentence or two.', case when n % 10 > 0 then 'published' else 'draft' end, at,
       case when n % 10 > 0 then at end
     from generate_series(1, ${apis}) n, lateral (select pg_temp.moment(n, ${apis})) as m (at)`,
    `insert into api_versions (id, api_id, version, upstream_url, timeout_seconds, openapi, exported, exported_lengths, created_at)
     select pg_temp.id_of('api version', n), pg_temp.id_of('api', 1 + n % ${apis}), (1 + n / ${apis})::text,
       'https://upstream.example/' || n, 30, '{"openapi":"3.1.0","info":{"title":"API","version":"1"},"paths":{}}', '', '{0}',
       pg_temp.moment(n, ${2 * apis})
     from generate_series(0, ${2 * apis - 1}) n`,
    `insert into api_plans (id, api_id, name, requests_per_minute, requests_per_month, created_at)
     select pg_temp.id_of('plan', n), pg_temp.id_of('api', 1 + n % ${apis}), 'plan ' || 1 + n / ${apis}, 60, 100000,
       pg_temp.moment(n, ${2 * apis})
     from generate_series(0, ${2 * apis - 1}) n`,

    // Each company has one to three of those who publish; one in ten was cancelled.
    `insert into subscriptions (id, company_id, api_id, plan_id, status, created_at, cancelled_at)
     select pg_temp.id_of('subscription', n), pg_temp.id_of('company', 1 + n % ${companies}),
       pg_temp.id_of('api', 1 + n % ${apis}), pg_temp.id_of('plan', n % ${apis}),
       case when n % 10 > 0 then 'active' else 'cancelled' end, at, case when n % 10 = 0 then at end
     from generate_series(0, ${companies - 1}) n, lateral (select pg_temp.moment(n, ${companies})) as m (at)`,
    `insert into subscriptions (id, company_id, api_id, plan_id, created_at)
     select pg_temp.id_of('subscription', ${companies} + n), pg_temp.id_of('company', n), h.api_id, h.plan_id,
       pg_temp.moment(n, ${companies})
     from generate_series(1, ${companies}) n, host_offer h`,
    `create temp table made_subscriptions as
     select id, row_number() over (order by id) as n from subscriptions where company_id <> '${host}'`,

    `insert into marketplace_keys (id, subscription_id, name, mode, token_hash, token_prefix, created_at, last_used_at, revoked_at)
     select pg_temp.id_of('marketplace key', 2 * n + k), id, 'key ' || k, case k when 1 then 'live' else 'test' end,
       pg_temp.made_hash('marketplace key', 2 * n + k), case k when 1 then 'dk_live_' else 'dk_test_' end || substr(md5(n::text), 1, 4),
       now() - interval '200 days', now() - interval '1 hour', case when n % 20 = 0 then now() end
     from made_subscriptions, generate_series(1, 2) k`,
    `insert into marketplace_keys (id, subscription_id, name, mode, token_hash, token_prefix, created_at, revoked_at)
     select pg_temp.id_of('host key', k), s.id, 'key ' || k, 'live', pg_temp.made_hash('host key', k), 'dk_live_' || substr(md5(k::text), 1, 4),
       now() - interval '200 days', case when k > 5 then now() end
     from (select id from subscriptions where company_id = '${host}' order by created_at limit 1) as s, generate_series(1, 40) k`,

    // Two outcomes a day: of every key for some days, of the host's for all.
    `insert into api_usage (key_id, day, outcome, subscription_id, calls)
     select k.id, (now() at time zone 'UTC')::date - day, outcome, k.subscription_id, 1000 + day
     from marketplace_keys k join subscriptions s on s.id = k.subscription_id, generate_series(0, ${usageDays - 1}) day,
       unnest('{2xx,4xx}'::text[]) outcome
     where s.company_id = '${host}' or day % 10 = 0`,
    `insert into api_usage_counts (company_id, api_id, upstream, month, used)
     select distinct s.company_id, s.api_id, 'live', (date_trunc('month', now() at time zone 'UTC') - interval '1 month' * months)::date, 100000
     from subscriptions s join made_subscriptions using (id), generate_series(1, 3) months`,
    // Of the processes of a week, and one that ended before.
    `insert into api_usage_recorders (id, batch, written_at)
     select gen_random_uuid(), n, now() - case when n = 20 then interval '8 days' else interval '1 minute' * n end
     from generate_series(1, 20) n`,
    `insert into idempotent_answers (company_id, route, key_hash, fingerprint, answer, created_at)
     select pg_temp.id_of('company', 1 + n % ${companies}), 'subscribe', pg_temp.made_hash('idempotency', n),
       pg_temp.made_hash('fingerprint', n), '{"subscription":{}}',
       now() - case when n % 50 = 0 then interval '30 hours' else interval '1 minute' * (n % 1300) end
     from generate_series(1, ${2 * companies}) n`
  ]
}
