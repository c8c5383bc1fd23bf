/** Accounts, keys, limits and secrets. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are code of src.
import { changes, type Mutation } from "../model.ts"

export const access: ReadonlyArray<Mutation> = [
  ...changes("accounts/model.ts", ["accounts/members"], {
    "members may administer": ['administer: ["owner"]', 'administer: ["owner", "member"]']
  }),
  ...changes("accounts/members-repo.ts", ["accounts/members"], {
    "an owner's invitations survive the demotion": [
      'role === "owner" ? [] : yield* withdrawAllOf(companyId, id)',
      "[]"
    ],
    "the list of members has those of all companies": [
      "where u.company_id = ${companyId} order by",
      "where ${companyId}::uuid is not null order by"
    ],
    "an owner undoes the demotion that they waited for": [
      "          (owners) => owners > 0,\n          () => new RoleForbidden()",
      "          (owners) => owners >= 0,\n          () => new RoleForbidden()"
    ]
  }),
  ...changes("accounts/repo.ts", ["accounts/own-account"], {
    "a new password leaves the other sessions open": [
      "Option.some(yield* endOtherSessions(userId, currentId))",
      "Option.some(0)"
    ],
    "a user ends the sessions of others": [
      "where user_id = ${userId} and id = ${id} returning id",
      "where id = ${id} returning id"
    ],
    "a sign-in that replaces a session ends another one": [
      "where user_id = ${userId} and token_hash is distinct from ${replacedHash ?? null}\n",
      "where user_id = ${userId}\n"
    ]
  }),
  ...changes("accounts/model.ts", ["accounts/dashboard-session"], {
    "an unused dashboard session lives for a month": ["idle: 7 }", "idle: 30 }"]
  }),
  ...changes("accounts/service.ts", ["accounts/sign-in.isolated"], {
    "any password signs in": [
      "matches && found !== undefined ? Effect.succeed(found)",
      "found !== undefined ? Effect.succeed(found)"
    ]
  }),
  ...changes("accounts/service.ts", ["accounts/sign-in.isolated", "accounts/first-start.system"], {
    "everybody may sign up although it is closed": [
      ": Effect.fail(new SignupClosed())",
      ': signups.limiting(from.address ?? "", signUp(from, request))'
    ]
  }),
  ...changes("accounts/service.ts", ["audit/acts"], {
    "a sign-in is not in the audit trail": [
      "onSome: (session) => [entries.signedIn(by, session)]",
      "onSome: () => []"
    ]
  }),
  ...changes("accounts/credential.ts", ["accounts/dashboard-session"], {
    "another site writes with the cookie": ["if (hasCookie && isOfOtherSite(request))", "if (false)"],
    "pages of other ports are of the same site": [
      "page.host === host.toLowerCase()",
      'page.hostname === host.toLowerCase().split(":")[0]'
    ],
    "behind a proxy that ends TLS, with an http BASE_URL, nobody writes": [
      'new Set(["https:", new URL(baseUrl).protocol])',
      "new Set([new URL(baseUrl).protocol])"
    ]
  }),
  ...changes("accounts/session-cookie.ts", ["accounts/sign-in.isolated"], {
    "scripts can read the session cookie": ["httpOnly: true", "httpOnly: false"]
  }),
  ...changes("accounts/invitations-repo.ts", ["accounts/members"], {
    "an expired invitation opens": [" and i.expires_at > now()`),", "`),"],
    "invitations of a demoted owner open": [
      "m.company_id = i.company_id and m.role = 'owner'\"",
      'm.company_id = i.company_id"'
    ]
  }),
  ...changes("accounts/invitations-repo.ts", ["accounts/quotas"], {
    "a company has one invitation too many": ["({ total }) => total < most", "({ total }) => total <= most"]
  }),
  ...changes("accounts/password-attempts.ts", ["accounts/sign-in-limits.isolated"], {
    "failed sign-ins do not count": ["guesses.limiting(guesser, check(hashing))", "check(hashing)"],
    "any number of sign-ins query the database at once": [
      "const lookUpsAtOnce = 4",
      "const lookUpsAtOnce = 40"
    ]
  }),
  ...changes("accounts/administration-repo.ts", ["cli/accounts.system"], {
    "the operator's reset leaves the user's sessions open": [
      "delete from dashboard_sessions where user_id = ${userId} returning id",
      "select from dashboard_sessions where user_id = ${userId}"
    ]
  }),
  ...changes("keys/repo.ts", ["keys/credential"], {
    "a revoked platform key works": [
      "case when revoked_at is not null then 'key-revoked' when expires_at",
      "case when expires_at"
    ],
    "an expired platform key works": [
      "'key-revoked' when expires_at <= now() then 'key-expired' end",
      "'key-revoked' end"
    ]
  }),
  ...changes("keys/service.ts", ["keys/credential", "keys/replicas.system"], {
    "a process goes on with a platform key that it has revoked": [
      "yield* verification.forget(known)",
      "yield* Effect.void"
    ]
  }),
  ...changes("keys/repo.ts", ["keys/replicas.system"], {
    "other processes do not hear of a revoked platform key": [
      "select name, was_active, ${notify(revokedTopic, id)} from key",
      "select name, was_active from key"
    ]
  }),
  ...changes("keys/repo.ts", ["contract/cross-company"], {
    "a company revokes the platform keys of others": [
      "where company_id = ${companyId} and id = ${id} for no key update",
      "where id = ${id} for no key update"
    ]
  }),
  ...changes("keys/repo.ts", ["keys/api-keys"], {
    "the list of platform keys has those of all companies": [
      "from api_keys where company_id = ${companyId}\n          order by",
      "from api_keys where ${companyId}::uuid is not null\n          order by"
    ]
  }),
  ...changes("keys/repo.ts", ["contract/event-types.isolated"], {
    "a revoked platform key has no event": ['), recorded as (${keyEvents("revoked", sql`revoked`)})', ")"]
  }),
  ...changes("keys/repo.ts", ["accounts/quotas"], {
    "a company has one platform key too many": [
      "from there where active < ${most.active}",
      "from there where active <= ${most.active}"
    ]
  }),
  ...changes("keys/api.ts", ["contract/openapi"], {
    "an unknown platform key gets 403": [
      'fails(ApiKeyNotFound, 404, "API key not found")',
      'fails(ApiKeyNotFound, 403, "API key not found")'
    ]
  }),
  ...changes("keys/scopes-model.ts", ["keys/model"], {
    "older keys with * get scopes that have to be named": [
      "if (namedScopes.has(scope)) return held === scope",
      "if (namedScopes.has(scope) && held === scope) return true"
    ]
  }),
  ...changes("limits/failure-budget.ts", ["limits/public-routes"], {
    "made-up keys from one address are never limited": [
      "spend: (address, kept) => (isLoopback(address) ? 0 : budget.spend(of(address), kept))",
      "spend: () => 0"
    ]
  }),
  ...changes("limits/failure-budget.ts", ["limits/failure-budget"], {
    "each address of an IPv6 subscriber has a budget": [
      "export const clientPrefix = beginning(4, 4)",
      "export const clientPrefix = beginning(4, 8)"
    ]
  }),
  ...changes("limits/attempts.ts", ["limits/public-routes", "accounts/sign-in-limits.isolated"], {
    "sign-ups from one network are not limited": [
      "budgets.push(perAddress(shared, networkPrefix))",
      "perAddress(shared, networkPrefix)"
    ]
  }),
  ...changes("secrets/sealed-file.ts", ["secrets/sealed-file"], {
    "a sealed file opens although its end is missing": [
      "nonce.writeUInt8(isLast ? 1 : 0, 11)",
      "nonce.writeUInt8(0, 11)"
    ]
  }),
  ...changes("secrets/token.ts", ["secrets/token"], {
    "the checksum of tokens is not checked": ["endsWithChecksum(token) &&", "true &&"]
  }),
  ...changes("secrets/secret-key.ts", ["secrets/previous-key"], {
    "the previous SECRET_KEY opens nothing": ["previous === undefined ? [root] : [root, previous]", "[root]"]
  }),
  ...changes("secrets/stored-key.ts", ["secrets/secret-key", "accounts/first-start.system"], {
    "all users of the machine can read the stored secret key": ["mode: 0o600", "mode: 0o644"]
  }),
  ...changes("accounts/api.ts", ["accounts/sign-in.isolated"], {
    "a waiting sign-in keeps a password of any length": [
      'given.length > maxPassword ? "too long" : given',
      "given"
    ]
  }),
  ...changes("accounts/devices.ts", ["accounts/devices"], {
    "each sign-in of a device adds an entry to its cookie": [".filter((given) => !isSameAccount(given))", ""]
  }),
  ...changes("audit/model.ts", ["accounts/own-account"], {
    "the User-Agent of a session may have any length": [
      "asStorable(header, maxUserAgent)",
      "asStorable(header, 100_000)"
    ]
  })
]
