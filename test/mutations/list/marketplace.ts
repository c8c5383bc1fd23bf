/** The marketplace. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are code of src.
import type { Mutation } from "../model.ts"

export const marketplace: ReadonlyArray<Mutation> = [
  {
    name: "a company changes the APIs of others",
    file: "src/marketplace/catalog/publishing-repo.ts",
    find: "where p.company_id = ${companyId} and a.id = ${apiId}`\n\n",
    replace: "where a.id = ${apiId}`\n\n",
    tests: ["test/contract/cross-company.test.ts"]
  },
  {
    name: "a publisher publishes again what was taken down",
    file: "src/marketplace/catalog/publishing-repo.ts",
    find: " and taken_down_at is null as changed",
    replace: " as changed",
    tests: ["test/cli/api.system.test.ts"]
  },
  {
    name: "an API has one version too many",
    file: "src/marketplace/catalog/publishing-repo.ts",
    find: "< ${limits.versions}",
    replace: "<= ${limits.versions}",
    tests: ["test/marketplace/catalog/publishing.test.ts"]
  },
  {
    name: "a published API has no event",
    file: "src/marketplace/catalog/publishing-repo.ts",
    find: '), recorded as (${apiEvents(sql, publish ? "published" : "unpublished", sql`told`)})',
    replace: ")",
    tests: ["test/contract/event-types.isolated.test.ts"]
  },
  {
    name: "a plan allows one call too many in a month",
    file: "src/marketplace/limits/account.ts",
    find: "this.used >= requestsPerMonth",
    replace: "this.used > requestsPerMonth",
    tests: ["test/marketplace/limits/limits.test.ts"]
  },
  {
    name: "a call counts for less than a minute",
    file: "src/marketplace/limits/window-model.ts",
    find: "slotCount = windowMillis / slotMillis + 1",
    replace: "slotCount = windowMillis / slotMillis - 1",
    tests: ["test/marketplace/limits/window.test.ts"]
  },
  {
    name: "Redis allows one call too many in a month",
    file: "src/marketplace/limits/redis.ts",
    find: "if perMonth > 0 and month >= perMonth then",
    replace: "if perMonth > 0 and month > perMonth then",
    tests: ["test/marketplace/limits/redis.system.test.ts"]
  },
  {
    name: "calls that are not billed use up the month",
    file: "src/marketplace/limits/service.ts",
    find: "if (isBilled(outcome)) return",
    replace: "return",
    tests: ["test/marketplace/limits/limits.test.ts"]
  },
  {
    name: "a subscriber is told to try again at once",
    file: "src/marketplace/limits/model.ts",
    find: "Math.max(1, seconds(",
    replace: "Math.min(0, seconds(",
    tests: ["test/marketplace/limits/limits.test.ts"]
  },
  {
    name: "a process goes on with the keys of a subscription that it has cancelled",
    file: "src/marketplace/subscriptions/service.ts",
    find: "yield* verification.forgetSubscription(known)",
    replace: "yield* Effect.void",
    tests: ["test/marketplace/subscriptions/verification.test.ts", "test/gateway/marketplace.test.ts"]
  },
  {
    name: "an Idempotency-Key is reused for another subscription",
    file: "src/marketplace/subscriptions/service.ts",
    find: "if (!kept.value.same)",
    replace: "if (false)",
    tests: ["test/marketplace/subscriptions/subscribe.test.ts"]
  },
  {
    name: "an Idempotency-Key is kept for ever",
    file: "src/marketplace/subscriptions/idempotency-repo.ts",
    find: "\n            and created_at > now() - ${life}`),",
    replace: "`),",
    tests: ["test/marketplace/subscriptions/subscribe.test.ts"]
  },
  {
    name: "the list of subscriptions has cancelled ones of all companies",
    file: "src/marketplace/subscriptions/repo.ts",
    find: "where company_id = ${companyId} and status = 'cancelled'",
    replace: "where status = 'cancelled'",
    tests: ["test/marketplace/subscriptions/subscriptions.test.ts"]
  },
  {
    name: "publishers do not hear of new subscriptions",
    file: "src/marketplace/subscriptions/repo.ts",
    find: "(s.company_id, 'subscriptions/' || s.id), (p.company_id, 'publisher/apis')",
    replace: "(s.company_id, 'subscriptions/' || s.id)",
    tests: ["test/contract/event-types.isolated.test.ts"]
  },
  {
    name: "a revoked marketplace key works",
    file: "src/marketplace/subscriptions/keys-repo.ts",
    find: 'sql.literal("revoked_at is null and (expires_at',
    replace: 'sql.literal("(expires_at',
    tests: ["test/marketplace/subscriptions/keys.test.ts"]
  },
  {
    name: "a company revokes the marketplace keys of others",
    file: "src/marketplace/subscriptions/keys-repo.ts",
    find: "where s.company_id = ${companyId} and k.id = ${id} for no key update of k",
    replace: "where k.id = ${id} for no key update of k",
    tests: ["test/contract/cross-company.test.ts"]
  },
  {
    name: "other processes do not hear of a revoked marketplace key",
    file: "src/marketplace/subscriptions/keys-repo.ts",
    find: "was_active, ${notify(keyChangedTopic, id)} from key",
    replace: "was_active from key",
    tests: ["test/gateway/marketplace.test.ts"]
  },
  {
    name: "a rotation makes the old key live longer",
    file: "src/marketplace/subscriptions/keys-repo.ts",
    find: "expires_at = least(old.expires_at,",
    replace: "expires_at = greatest(old.expires_at,",
    tests: ["test/marketplace/subscriptions/keys.test.ts"]
  },
  {
    name: "a subscription has one key too many",
    file: "src/marketplace/subscriptions/keys-service.ts",
    find: ">= maxActiveKeys)",
    replace: "> maxActiveKeys)",
    tests: ["test/marketplace/subscriptions/keys.test.ts"]
  },
  {
    name: "calls that clients leave are free",
    file: "src/marketplace/usage/model.ts",
    find: '["2xx", "3xx", "4xx", "5xx", "client_closed"]',
    replace: '["2xx", "3xx", "4xx", "5xx"]',
    tests: ["test/marketplace/usage/billing.test.ts", "test/marketplace/usage/usage.test.ts"]
  },
  {
    name: "calls that the upstream forbids are billed",
    file: "src/marketplace/usage/model.ts",
    find: "status === 401 || status === 403 || status === 429",
    replace: "status === 401 || status === 429",
    tests: ["test/marketplace/usage/billing.test.ts"]
  },
  {
    name: "a key's calls within a second count once",
    file: "src/marketplace/usage/recording-service.ts",
    find: "tally.counts[place] = (tally.counts[place] ?? 0) + 1",
    replace: "tally.counts[place] = 1",
    tests: ["test/marketplace/usage/recording.test.ts"]
  },
  {
    name: "a process that ends loses the last calls",
    file: "src/marketplace/usage/recording-service.ts",
    find: "yield* Effect.addFinalizer(() => finish)",
    replace: "yield* Effect.addFinalizer(() => Effect.void)",
    tests: ["test/marketplace/usage/recording.test.ts"]
  },
  {
    name: "rows that ClickHouse has twice count twice",
    file: "src/marketplace/usage/clickhouse.ts",
    find: "writer, max(calls) as calls",
    replace: "writer, sum(calls) as calls",
    tests: ["test/marketplace/usage/clickhouse.system.test.ts"]
  },
  {
    name: "one Idempotency-Key gives two companies one token",
    file: "src/marketplace/subscriptions/service.ts",
    find: "hkdfSha256(key, subscriptionId, idempotencyKey)",
    replace: 'hkdfSha256(key, "", idempotencyKey)',
    tests: ["test/marketplace/subscriptions/subscribe.test.ts"]
  },
  {
    name: "a description shows the servers of an operation",
    file: "src/marketplace/catalog/exported-version.ts",
    find: '  operation: ["servers", "security"],',
    replace: '  operation: ["security"],',
    tests: ["test/marketplace/catalog/exported-version.test.ts"]
  }
]
