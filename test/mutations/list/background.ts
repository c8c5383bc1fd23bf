/** The audit trail, the database, events, webhooks, work, processes and the command line. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are code of src.
import { changes, type Mutation } from "../model.ts"

export const background: ReadonlyArray<Mutation> = [
  ...changes("audit/list-repo.ts", ["audit/list"], {
    "the audit trail has events of all companies": [
      "[sql`e.company_id = ${companyId}`]",
      "[sql`${companyId}::uuid is not null`]"
    ]
  }),
  ...changes("audit/service.ts", ["audit/chain", "audit/anchoring.system"], {
    "an event that the database has changed is sealed": [
      'if (event.hash !== hash) return refused("the database stored it differently")',
      ""
    ]
  }),
  ...changes("audit/anchoring-service.ts", ["audit/anchoring.system"], {
    "a trail that is not sealed is anchored": [
      "is ? Effect.succeed(end) : Effect.fail(end)",
      "true ? Effect.succeed(end) : Effect.fail(end)"
    ],
    "an anchor says again what the last one said": ["anchored.get(end.companyId) !== writeEnd(end)", "true"]
  }),
  ...changes("audit/chain-model.ts", ["audit/chain", "audit/anchoring.system"], {
    "a seal of another position is good": [
      'JSON.stringify(["doorlock audit seal 1", companyId, position, hash])',
      'JSON.stringify(["doorlock audit seal 1", companyId, hash])'
    ]
  }),
  ...changes("cli/failures.ts", ["cli/output.system"], {
    "an invalid configuration ends with another exit code": ["  configuration: 3,", "  configuration: 1,"]
  }),
  ...changes("cli/checks/database.ts", ["cli/doctor.system"], {
    "doctor accepts a clock that is 20 seconds off": ["tolerable: 2,", "tolerable: 20,"]
  }),
  ...changes("cli/checks/configuration.ts", ["cli/doctor.system"], {
    "doctor says nothing of an open sign-up": ["else if (!isForThisMachine && signupOpen)", "else if (false)"]
  }),
  ...changes("config.ts", ["config"], {
    "a short SECRET_KEY is accepted": ['secret("SECRET_KEY", 32)', 'secret("SECRET_KEY", 8)'],
    "private upstreams are allowed by default": [
      'flag("GATEWAY_ALLOW_PRIVATE_UPSTREAMS", isForThisMachine)',
      'flag("GATEWAY_ALLOW_PRIVATE_UPSTREAMS", true)'
    ]
  }),
  ...changes("db/fenced-cache.ts", ["db/fenced-cache"], {
    "a cache serves while it may miss revocations": [
      "const entry = changes.isTrusted() ? entries.peek(key) : undefined",
      "const entry = entries.peek(key)"
    ],
    "a cache keeps an answer from before a revocation": [
      "if (trusted && told === before && changes.isTrusted())",
      "if (trusted && changes.isTrusted())"
    ]
  }),
  ...changes("db/changes.ts", ["db/changes.system"], {
    "a process trusts its caches for eight seconds": [
      "trustedUntil = begunAt + lease\n",
      "trustedUntil = begunAt + 10 * lease\n"
    ]
  }),
  ...changes("db/migrations.ts", ["db/migrations.system"], {
    "an edited migration is accepted": ["if (checksum !== migration.checksum)", "if (false)"]
  }),
  ...changes("db/rights.ts", ["db/roles.system"], {
    "the service may delete audit events": [
      'audit_events: ["SELECT", "INSERT"]',
      'audit_events: ["SELECT", "INSERT", "DELETE"]'
    ]
  }),
  ...changes("db/among.ts", ["kyc/sessions/partner-list", "kyc/dedup/matches"], {
    "the sessions of a list may be of another company": [
      "sql`s.company_id::text = ${companyId} and s.id = any (${ids})`",
      "sql`${companyId}::text is not null and s.id = any (${ids})`"
    ]
  }),
  ...changes("events/repo.ts", ["contract/cross-company"], {
    "a company reads the events of others": [
      "where company_id = ${companyId} and id = ${id} and ${stored}",
      "where id = ${id} and ${stored}"
    ]
  }),
  ...changes("events/service.ts", ["events/feed"], {
    "the feed goes on after a restored backup": [
      "if (isOfLostLog || from.at < end.at - lifetime)",
      "if (from.at < end.at - lifetime)"
    ],
    "a filter of types selects other types": [
      "{ begin: filter.slice(0, -1) }",
      "{ begin: filter.slice(0, 0) }"
    ]
  }),
  ...changes("events/service.ts", ["events/feed", "events/retention"], {
    "the feed says nothing of deleted events": [
      "if (isOfLostLog || from.at < end.at - lifetime) return yield* new CursorTooOld()",
      "if (isOfLostLog) return yield* new CursorTooOld()"
    ]
  }),
  ...changes("shared/cursor.ts", ["kyc/sessions/partner-list", "events/feed"], {
    "a cursor that was tampered with is accepted": [
      "return place !== undefined && encoded(place) === text ? place : undefined",
      "return place"
    ]
  }),
  ...changes("shared/ip-address.ts", ["operations/metrics.system"], {
    "public addresses count as near": [
      'near.addSubnet("172.16.0.0", 12, "ipv4")',
      'near.addSubnet("172.0.0.0", 8, "ipv4")'
    ]
  }),
  ...changes("shared/batched-uses.ts", ["shared/batched-uses", "keys/last-used"], {
    "a process that ends forgets when keys were used": [
      "if (writesAtEnd) yield* Effect.addFinalizer(() => flush)",
      ""
    ]
  }),
  ...changes("process/first-start.ts", ["accounts/first-start.system"], {
    "every start creates a demo company": ["if (yield* anyCompany) return false", ""]
  }),
  ...changes("process/housekeeping.ts", ["operations/housekeeping"], {
    "a failed task ends the housekeeping": [
      "Effect.catchAllCause(run, (cause) =>",
      "Effect.tapErrorCause(run, (cause) =>"
    ]
  }),
  ...changes("webhooks/signature.ts", ["webhooks/signature"], {
    "webhooks are signed in another order": [
      "one(`${id}.${timestamp}.${body}`)",
      "one(`${timestamp}.${id}.${body}`)"
    ]
  }),
  ...changes("webhooks/schedule-model.ts", ["webhooks/schedule"], {
    "the third attempt comes after an hour": ["[5, 300, 1_800,", "[5, 300, 3_600,"],
    "an endpoint postpones deliveries for ever": [
      "Math.min(Math.max(own, asked), 2 * own)",
      "Math.max(own, asked)"
    ]
  }),
  ...changes("webhooks/posting.ts", ["webhooks/posting.isolated"], {
    "a redirect counts as a delivery": ["status >= 200 && status < 300", "status >= 200 && status < 400"]
  }),
  ...changes("webhooks/delivering-service.ts", ["webhooks/deliveries"], {
    "a failed delivery is not repeated": ["nextAfter: nextAfter ?? null", "nextAfter: null"],
    "an endpoint that is gone stays enabled": ["const gone = 410", "const gone = 411"],
    "an endpoint that doorlock disables is not in the audit trail": [
      "of yield* repo.settle(attempted)) {",
      "of (yield* repo.settle(attempted)).slice(0, 0)) {"
    ]
  }),
  ...changes("webhooks/service.ts", ["webhooks/rebinding", "http/refused-values"], {
    "webhooks go to http": [
      'if (url.protocol === "http:" && !(allowPrivateUpstreams && isOfThisMachine(url)))',
      "if (false)"
    ]
  }),
  ...changes("webhooks/fan-out-repo.ts", ["webhooks/deliveries"], {
    "endpoints get the events of all companies": [
      "where company_id = e.company_id and removed_at is null",
      "where removed_at is null"
    ]
  }),
  ...changes("webhooks/repo.ts", ["webhooks/endpoints"], {
    "the secret of a removed endpoint stays": [
      "delete from webhook_secrets s using removed where s.endpoint_id = removed.id",
      "delete from webhook_secrets s using removed where s.endpoint_id = removed.id and false"
    ],
    "a company has one endpoint too many": [
      "having count(*) < ${mostEndpoints}",
      "having count(*) <= ${mostEndpoints}"
    ]
  }),
  ...changes("work/repo.ts", ["work/dispatcher.system"], {
    "a process takes lanes that another one holds": [
      "and greatest(due, lease) <= now() ${passOver(groups)}",
      "and due <= now() ${passOver(groups)}"
    ],
    "a job that another process runs again is ended": [
      "and j.attempt = ran.attempt and after is null",
      "and after is null"
    ],
    "a job at fault is lost": [
      "from ended where reason is not null",
      "from ended where reason is not null and false"
    ]
  }),
  ...changes("work/repo.ts", ["work/repo"], {
    "a lane to which jobs were added is released": [
      "where l.holder = ${holder} and l.version = wanted.version",
      "where l.holder = ${holder}"
    ]
  }),
  ...changes("workers/worker-figures.ts", ["workers/worker-figures"], {
    "the counts of an ended worker are lost": ["merged([...this.#ended, ...lasting(", "merged([...lasting("]
  }),
  ...changes("workers/budget-changes.ts", ["workers/budget-changes", "faults/workers"], {
    "workers do not share budgets": [
      "for (const [budget, key, change] of message.changes) listeners.get(budget)?.(key, change)",
      ""
    ]
  }),
  ...changes("events/collecting.ts", ["events/collecting.isolated"], {
    "a collector that fails warns at each try": [
      "const log = isFailing ? Effect.logDebug",
      "const log = false ? Effect.logDebug"
    ],
    "processes look for events as often while they record many": [
      "recordedBefore < many",
      "recordedBefore < 1e9"
    ]
  })
]
