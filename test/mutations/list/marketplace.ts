/** The marketplace. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are code of src.
import { changes, type Mutation } from "../model.ts"

export const marketplace: ReadonlyArray<Mutation> = [
  ...changes("marketplace/catalog/publishing-repo.ts", ["contract/cross-company"], {
    "a company changes the APIs of others": [
      "where p.company_id = ${companyId} and a.id = ${apiId}`\n\n",
      "where a.id = ${apiId}`\n\n"
    ]
  }),
  ...changes("marketplace/catalog/publishing-repo.ts", ["cli/api.system"], {
    "a publisher publishes again what was taken down": [
      " and taken_down_at is null as changed",
      " as changed"
    ]
  }),
  ...changes("marketplace/catalog/publishing-repo.ts", ["marketplace/catalog/publishing"], {
    "an API has one version too many": ["< ${limits.versions}", "<= ${limits.versions}"]
  }),
  ...changes("marketplace/catalog/publishing-repo.ts", ["contract/event-types.isolated"], {
    "a published API has no event": [
      '), recorded as (${apiEvents(sql, publish ? "published" : "unpublished", sql`told`)})',
      ")"
    ]
  }),
  ...changes("marketplace/limits/account.ts", ["marketplace/limits/limits"], {
    "a plan allows one call too many in a month": [
      "this.used >= requestsPerMonth",
      "this.used > requestsPerMonth"
    ]
  }),
  ...changes("marketplace/limits/window-model.ts", ["marketplace/limits/window"], {
    "a call counts for less than a minute": [
      "slotCount = windowMillis / slotMillis + 1",
      "slotCount = windowMillis / slotMillis - 1"
    ]
  }),
  ...changes("marketplace/limits/redis.ts", ["marketplace/limits/redis.system"], {
    "Redis allows one call too many in a month": [
      "if perMonth > 0 and month >= perMonth then",
      "if perMonth > 0 and month > perMonth then"
    ]
  }),
  ...changes("marketplace/limits/service.ts", ["marketplace/limits/limits"], {
    "calls that are not billed use up the month": ["if (isBilled(outcome)) return", "return"]
  }),
  ...changes("marketplace/limits/model.ts", ["marketplace/limits/limits"], {
    "a subscriber is told to try again at once": ["Math.max(1, seconds(", "Math.min(0, seconds("]
  }),
  ...changes(
    "marketplace/subscriptions/service.ts",
    ["marketplace/subscriptions/verification", "gateway/marketplace"],
    {
      "a process goes on with the keys of a subscription that it has cancelled": [
        "yield* verification.forgetSubscription(known)",
        "yield* Effect.void"
      ]
    }
  ),
  ...changes("marketplace/subscriptions/service.ts", ["marketplace/subscriptions/subscribe"], {
    "an Idempotency-Key is reused for another subscription": ["if (!kept.value.same)", "if (false)"],
    "one Idempotency-Key gives two companies one token": [
      "hkdfSha256(key, subscriptionId, idempotencyKey)",
      'hkdfSha256(key, "", idempotencyKey)'
    ]
  }),
  ...changes("marketplace/subscriptions/idempotency-repo.ts", ["marketplace/subscriptions/subscribe"], {
    "an Idempotency-Key is kept for ever": ["\n            and created_at > now() - ${life}`),", "`),"]
  }),
  ...changes("marketplace/subscriptions/repo.ts", ["marketplace/subscriptions/subscriptions"], {
    "the list of subscriptions has cancelled ones of all companies": [
      "where company_id = ${companyId} and status = 'cancelled'",
      "where status = 'cancelled'"
    ]
  }),
  ...changes("marketplace/subscriptions/repo.ts", ["contract/event-types.isolated"], {
    "publishers do not hear of new subscriptions": [
      "(s.company_id, 'subscriptions/' || s.id), (p.company_id, 'publisher/apis')",
      "(s.company_id, 'subscriptions/' || s.id)"
    ]
  }),
  ...changes("marketplace/subscriptions/keys-repo.ts", ["marketplace/subscriptions/keys"], {
    "a revoked marketplace key works": [
      'sql.literal("revoked_at is null and (expires_at',
      'sql.literal("(expires_at'
    ],
    "a rotation makes the old key live longer": [
      "expires_at = least(old.expires_at,",
      "expires_at = greatest(old.expires_at,"
    ]
  }),
  ...changes("marketplace/subscriptions/keys-repo.ts", ["contract/cross-company"], {
    "a company revokes the marketplace keys of others": [
      "where s.company_id = ${companyId} and k.id = ${id} for no key update of k",
      "where k.id = ${id} for no key update of k"
    ]
  }),
  ...changes("marketplace/subscriptions/keys-repo.ts", ["gateway/marketplace"], {
    "other processes do not hear of a revoked marketplace key": [
      "was_active, ${notify(keyChangedTopic, id)} from key",
      "was_active from key"
    ]
  }),
  ...changes("marketplace/subscriptions/keys-service.ts", ["marketplace/subscriptions/keys"], {
    "a subscription has one key too many": [">= maxActiveKeys)", "> maxActiveKeys)"]
  }),
  ...changes("marketplace/usage/model.ts", ["marketplace/usage/billing", "marketplace/usage/usage"], {
    "calls that clients leave are free": [
      '["2xx", "3xx", "4xx", "5xx", "client_closed"]',
      '["2xx", "3xx", "4xx", "5xx"]'
    ]
  }),
  ...changes("marketplace/usage/model.ts", ["marketplace/usage/billing"], {
    "calls that the upstream forbids are billed": [
      "status === 401 || status === 403 || status === 429",
      "status === 401 || status === 429"
    ]
  }),
  ...changes("marketplace/usage/recording-service.ts", ["marketplace/usage/recording"], {
    "a key's calls within a second count once": [
      "tally.counts[place] = (tally.counts[place] ?? 0) + 1",
      "tally.counts[place] = 1"
    ],
    "a process that ends loses the last calls": [
      "yield* Effect.addFinalizer(() => finish)",
      "yield* Effect.addFinalizer(() => Effect.void)"
    ]
  }),
  ...changes("marketplace/usage/clickhouse.ts", ["marketplace/usage/clickhouse.system"], {
    "rows that ClickHouse has twice count twice": [
      "writer, max(calls) as calls",
      "writer, sum(calls) as calls"
    ]
  }),
  ...changes("marketplace/catalog/exported-version.ts", ["marketplace/catalog/exported-version"], {
    "a description shows the servers of an operation": [
      '  operation: ["servers", "security"],',
      '  operation: ["security"],'
    ]
  })
]
