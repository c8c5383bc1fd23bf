/** The audit trail, the database, events, webhooks, work, processes and the command line. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are code of src.
import type { Mutation } from "../model.ts"

export const background: ReadonlyArray<Mutation> = [
  {
    name: "the audit trail has events of all companies",
    file: "src/audit/list-repo.ts",
    find: "[sql`e.company_id = ${companyId}`]",
    replace: "[sql`${companyId}::uuid is not null`]",
    tests: ["test/audit/list.test.ts"]
  },
  {
    name: "an event that the database has changed is sealed",
    file: "src/audit/service.ts",
    find: 'if (event.hash !== hash) return refused("the database stored it differently")',
    replace: "",
    tests: ["test/audit/chain.test.ts", "test/audit/anchoring.system.test.ts"]
  },
  {
    name: "a trail that is not sealed is anchored",
    file: "src/audit/anchoring-service.ts",
    find: "is ? Effect.succeed(end) : Effect.fail(end)",
    replace: "true ? Effect.succeed(end) : Effect.fail(end)",
    tests: ["test/audit/anchoring.system.test.ts"]
  },
  {
    name: "a seal of another position is good",
    file: "src/audit/chain-model.ts",
    find: 'JSON.stringify(["doorlock audit seal 1", companyId, position, hash])',
    replace: 'JSON.stringify(["doorlock audit seal 1", companyId, hash])',
    tests: ["test/audit/chain.test.ts", "test/audit/anchoring.system.test.ts"]
  },
  {
    name: "an invalid configuration ends with another exit code",
    file: "src/cli/failures.ts",
    find: "  configuration: 3,",
    replace: "  configuration: 1,",
    tests: ["test/cli/output.system.test.ts"]
  },
  {
    name: "doctor accepts a clock that is 20 seconds off",
    file: "src/cli/checks/database.ts",
    find: "tolerable: 2,",
    replace: "tolerable: 20,",
    tests: ["test/cli/doctor.system.test.ts"]
  },
  {
    name: "doctor says nothing of an open sign-up",
    file: "src/cli/checks/configuration.ts",
    find: "else if (!isForThisMachine && signupOpen)",
    replace: "else if (false)",
    tests: ["test/cli/doctor.system.test.ts"]
  },
  {
    name: "a short SECRET_KEY is accepted",
    file: "src/config.ts",
    find: 'secret("SECRET_KEY", 32)',
    replace: 'secret("SECRET_KEY", 8)',
    tests: ["test/config.test.ts"]
  },
  {
    name: "private upstreams are allowed by default",
    file: "src/config.ts",
    find: 'flag("GATEWAY_ALLOW_PRIVATE_UPSTREAMS", isForThisMachine)',
    replace: 'flag("GATEWAY_ALLOW_PRIVATE_UPSTREAMS", true)',
    tests: ["test/config.test.ts"]
  },
  {
    name: "a cache serves while it may miss revocations",
    file: "src/db/fenced-cache.ts",
    find: "const entry = changes.isTrusted() ? entries.peek(key) : undefined",
    replace: "const entry = entries.peek(key)",
    tests: ["test/db/fenced-cache.test.ts"]
  },
  {
    name: "a cache keeps an answer from before a revocation",
    file: "src/db/fenced-cache.ts",
    find: "if (trusted && told === before && changes.isTrusted())",
    replace: "if (trusted && changes.isTrusted())",
    tests: ["test/db/fenced-cache.test.ts"]
  },
  {
    name: "a process trusts its caches for eight seconds",
    file: "src/db/changes.ts",
    find: "trustedUntil = begunAt + lease\n",
    replace: "trustedUntil = begunAt + 10 * lease\n",
    tests: ["test/db/changes.system.test.ts"]
  },
  {
    name: "an edited migration is accepted",
    file: "src/db/migrations.ts",
    find: "if (checksum !== migration.checksum)",
    replace: "if (false)",
    tests: ["test/db/migrations.system.test.ts"]
  },
  {
    name: "the service may delete audit events",
    file: "src/db/rights.ts",
    find: 'audit_events: ["SELECT", "INSERT"]',
    replace: 'audit_events: ["SELECT", "INSERT", "DELETE"]',
    tests: ["test/db/roles.system.test.ts"]
  },
  {
    name: "the sessions of a list may be of another company",
    file: "src/db/among.ts",
    find: "sql`s.company_id::text = ${companyId} and s.id = any (${ids})`",
    replace: "sql`${companyId}::text is not null and s.id = any (${ids})`",
    tests: ["test/kyc/sessions/partner-list.test.ts", "test/kyc/dedup/matches.test.ts"]
  },
  {
    name: "a company reads the events of others",
    file: "src/events/repo.ts",
    find: "where company_id = ${companyId} and id = ${id} and ${stored}",
    replace: "where id = ${id} and ${stored}",
    tests: ["test/contract/cross-company.test.ts"]
  },
  {
    name: "the feed goes on after a restored backup",
    file: "src/events/service.ts",
    find: "if (isOfLostLog || from.at < end.at - lifetime)",
    replace: "if (from.at < end.at - lifetime)",
    tests: ["test/events/feed.test.ts"]
  },
  {
    name: "the feed says nothing of deleted events",
    file: "src/events/service.ts",
    find: "if (isOfLostLog || from.at < end.at - lifetime) return yield* new CursorTooOld()",
    replace: "if (isOfLostLog) return yield* new CursorTooOld()",
    tests: ["test/events/feed.test.ts", "test/events/retention.test.ts"]
  },
  {
    name: "a filter of types selects other types",
    file: "src/events/service.ts",
    find: "{ begin: filter.slice(0, -1) }",
    replace: "{ begin: filter.slice(0, 0) }",
    tests: ["test/events/feed.test.ts"]
  },
  {
    name: "a cursor that was tampered with is accepted",
    file: "src/shared/cursor.ts",
    find: "return place !== undefined && encoded(place) === text ? place : undefined",
    replace: "return place",
    tests: ["test/kyc/sessions/partner-list.test.ts", "test/events/feed.test.ts"]
  },
  {
    name: "public addresses count as near",
    file: "src/shared/ip-address.ts",
    find: 'near.addSubnet("172.16.0.0", 12, "ipv4")',
    replace: 'near.addSubnet("172.0.0.0", 8, "ipv4")',
    tests: ["test/operations/metrics.system.test.ts"]
  },
  {
    name: "a process that ends forgets when keys were used",
    file: "src/shared/batched-uses.ts",
    find: "if (writesAtEnd) yield* Effect.addFinalizer(() => flush)",
    replace: "",
    tests: ["test/shared/batched-uses.test.ts", "test/keys/last-used.test.ts"]
  },
  {
    name: "every start creates a demo company",
    file: "src/process/first-start.ts",
    find: "if (yield* anyCompany) return false",
    replace: "",
    tests: ["test/accounts/first-start.system.test.ts"]
  },
  {
    name: "a failed task ends the housekeeping",
    file: "src/process/housekeeping.ts",
    find: "Effect.catchAllCause(run, (cause) =>",
    replace: "Effect.tapErrorCause(run, (cause) =>",
    tests: ["test/operations/housekeeping.test.ts"]
  },
  {
    name: "webhooks are signed in another order",
    file: "src/webhooks/signature.ts",
    find: "one(`${id}.${timestamp}.${body}`)",
    replace: "one(`${timestamp}.${id}.${body}`)",
    tests: ["test/webhooks/signature.test.ts"]
  },
  {
    name: "the third attempt comes after an hour",
    file: "src/webhooks/schedule-model.ts",
    find: "[5, 300, 1_800,",
    replace: "[5, 300, 3_600,",
    tests: ["test/webhooks/schedule.test.ts"]
  },
  {
    name: "an endpoint postpones deliveries for ever",
    file: "src/webhooks/schedule-model.ts",
    find: "Math.min(Math.max(own, asked), 2 * own)",
    replace: "Math.max(own, asked)",
    tests: ["test/webhooks/schedule.test.ts"]
  },
  {
    name: "a redirect counts as a delivery",
    file: "src/webhooks/posting.ts",
    find: "status >= 200 && status < 300",
    replace: "status >= 200 && status < 400",
    tests: ["test/webhooks/posting.isolated.test.ts"]
  },
  {
    name: "a failed delivery is not repeated",
    file: "src/webhooks/delivering-service.ts",
    find: "nextAfter: nextAfter ?? null",
    replace: "nextAfter: null",
    tests: ["test/webhooks/deliveries.test.ts"]
  },
  {
    name: "an endpoint that is gone stays enabled",
    file: "src/webhooks/delivering-service.ts",
    find: "const gone = 410",
    replace: "const gone = 411",
    tests: ["test/webhooks/deliveries.test.ts"]
  },
  {
    name: "an endpoint that doorlock disables is not in the audit trail",
    file: "src/webhooks/delivering-service.ts",
    find: "of yield* repo.settle(attempted)) {",
    replace: "of (yield* repo.settle(attempted)).slice(0, 0)) {",
    tests: ["test/webhooks/deliveries.test.ts"]
  },
  {
    name: "webhooks go to http",
    file: "src/webhooks/service.ts",
    find: 'if (url.protocol === "http:" && !(allowPrivateUpstreams && isOfThisMachine(url)))',
    replace: "if (false)",
    tests: ["test/webhooks/rebinding.test.ts", "test/http/refused-values.test.ts"]
  },
  {
    name: "endpoints get the events of all companies",
    file: "src/webhooks/fan-out-repo.ts",
    find: "where company_id = e.company_id and removed_at is null",
    replace: "where removed_at is null",
    tests: ["test/webhooks/deliveries.test.ts"]
  },
  {
    name: "the secret of a removed endpoint stays",
    file: "src/webhooks/repo.ts",
    find: "delete from webhook_secrets s using removed where s.endpoint_id = removed.id",
    replace: "delete from webhook_secrets s using removed where s.endpoint_id = removed.id and false",
    tests: ["test/webhooks/endpoints.test.ts"]
  },
  {
    name: "a company has one endpoint too many",
    file: "src/webhooks/repo.ts",
    find: "having count(*) < ${mostEndpoints}",
    replace: "having count(*) <= ${mostEndpoints}",
    tests: ["test/webhooks/endpoints.test.ts"]
  },
  {
    name: "a process takes lanes that another one holds",
    file: "src/work/repo.ts",
    find: "and greatest(due, lease) <= now() ${passOver(groups)}",
    replace: "and due <= now() ${passOver(groups)}",
    tests: ["test/work/dispatcher.system.test.ts"]
  },
  {
    name: "a lane to which jobs were added is released",
    file: "src/work/repo.ts",
    find: "where l.holder = ${holder} and l.version = wanted.version",
    replace: "where l.holder = ${holder}",
    tests: ["test/work/repo.test.ts"]
  },
  {
    name: "a job that another process runs again is ended",
    file: "src/work/repo.ts",
    find: "and j.attempt = ran.attempt and after is null",
    replace: "and after is null",
    tests: ["test/work/dispatcher.system.test.ts"]
  },
  {
    name: "a job at fault is lost",
    file: "src/work/repo.ts",
    find: "from ended where reason is not null",
    replace: "from ended where reason is not null and false",
    tests: ["test/work/dispatcher.system.test.ts"]
  },
  {
    name: "the counts of an ended worker are lost",
    file: "src/workers/worker-figures.ts",
    find: "merged([...this.#ended, ...lasting(",
    replace: "merged([...lasting(",
    tests: ["test/workers/worker-figures.test.ts"]
  },
  {
    name: "workers do not share budgets",
    file: "src/workers/budget-changes.ts",
    find: "for (const [budget, key, change] of message.changes) listeners.get(budget)?.(key, change)",
    replace: "",
    tests: ["test/workers/budget-changes.test.ts", "test/faults/workers.test.ts"]
  },
  {
    name: "an anchor says again what the last one said",
    file: "src/audit/anchoring-service.ts",
    find: "anchored.get(end.companyId) !== writeEnd(end)",
    replace: "true",
    tests: ["test/audit/anchoring.system.test.ts"]
  },
  {
    name: "a collector that fails warns at each try",
    file: "src/events/collecting.ts",
    find: "const log = isFailing ? Effect.logDebug",
    replace: "const log = false ? Effect.logDebug",
    tests: ["test/events/collecting.isolated.test.ts"]
  },
  {
    name: "processes look for events as often while they record many",
    file: "src/events/collecting.ts",
    find: "recordedBefore < many",
    replace: "recordedBefore < 1e9",
    tests: ["test/events/collecting.isolated.test.ts"]
  }
]
