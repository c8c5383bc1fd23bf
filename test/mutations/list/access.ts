/** Accounts, keys, limits and secrets. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are code of src.
import type { Mutation } from "../model.ts"

export const access: ReadonlyArray<Mutation> = [
  {
    name: "members may administer",
    file: "src/accounts/model.ts",
    find: 'administer: ["owner"]',
    replace: 'administer: ["owner", "member"]',
    tests: ["test/accounts/members.test.ts"]
  },
  {
    name: "an owner's invitations survive the demotion",
    file: "src/accounts/members-repo.ts",
    find: 'role === "owner" ? [] : yield* withdrawAllOf(companyId, id)',
    replace: "[]",
    tests: ["test/accounts/members.test.ts"]
  },
  {
    name: "the list of members has those of all companies",
    file: "src/accounts/members-repo.ts",
    find: "where u.company_id = ${companyId} order by",
    replace: "where ${companyId}::uuid is not null order by",
    tests: ["test/accounts/members.test.ts"]
  },
  {
    name: "a new password leaves the other sessions open",
    file: "src/accounts/repo.ts",
    find: "Option.some(yield* endOtherSessions(userId, currentId))",
    replace: "Option.some(0)",
    tests: ["test/accounts/own-account.test.ts"]
  },
  {
    name: "a user ends the sessions of others",
    file: "src/accounts/repo.ts",
    find: "where user_id = ${userId} and id = ${id} returning id",
    replace: "where id = ${id} returning id",
    tests: ["test/accounts/own-account.test.ts"]
  },
  {
    name: "an unused dashboard session lives for a month",
    file: "src/accounts/model.ts",
    find: "idle: 7 }",
    replace: "idle: 30 }",
    tests: ["test/accounts/dashboard-session.test.ts"]
  },
  {
    name: "any password signs in",
    file: "src/accounts/service.ts",
    find: "matches && found !== undefined ? Effect.succeed(found)",
    replace: "found !== undefined ? Effect.succeed(found)",
    tests: ["test/accounts/sign-in.isolated.test.ts"]
  },
  {
    name: "everybody may sign up although it is closed",
    file: "src/accounts/service.ts",
    find: ": Effect.fail(new SignupClosed())",
    replace: ': signups.limiting(from.address ?? "", signUp(from, request))',
    tests: ["test/accounts/sign-in.isolated.test.ts", "test/accounts/first-start.system.test.ts"]
  },
  {
    name: "a sign-in is not in the audit trail",
    file: "src/accounts/service.ts",
    find: "onSome: (session) => [entries.signedIn(by, session)]",
    replace: "onSome: () => []",
    tests: ["test/audit/acts.test.ts"]
  },
  {
    name: "another site writes with the cookie",
    file: "src/accounts/credential.ts",
    find: "if (hasCookie && isOfOtherSite(request))",
    replace: "if (false)",
    tests: ["test/accounts/dashboard-session.test.ts"]
  },
  {
    name: "scripts can read the session cookie",
    file: "src/accounts/session-cookie.ts",
    find: "httpOnly: true",
    replace: "httpOnly: false",
    tests: ["test/accounts/sign-in.isolated.test.ts"]
  },
  {
    name: "an expired invitation opens",
    file: "src/accounts/invitations-repo.ts",
    find: " and i.expires_at > now()`),",
    replace: "`),",
    tests: ["test/accounts/members.test.ts"]
  },
  {
    name: "a company has one invitation too many",
    file: "src/accounts/invitations-repo.ts",
    find: "({ total }) => total < most",
    replace: "({ total }) => total <= most",
    tests: ["test/accounts/quotas.test.ts"]
  },
  {
    name: "failed sign-ins do not count",
    file: "src/accounts/password-attempts.ts",
    find: "guesses.limiting(guesser, check(hashing))",
    replace: "check(hashing)",
    tests: ["test/accounts/sign-in-limits.isolated.test.ts"]
  },
  {
    name: "the operator's reset leaves the user's sessions open",
    file: "src/accounts/administration-repo.ts",
    find: "delete from dashboard_sessions where user_id = ${userId} returning id",
    replace: "select from dashboard_sessions where user_id = ${userId}",
    tests: ["test/cli/accounts.system.test.ts"]
  },
  {
    name: "a revoked platform key works",
    file: "src/keys/repo.ts",
    find: "case when revoked_at is not null then 'key-revoked' when expires_at",
    replace: "case when expires_at",
    tests: ["test/keys/credential.test.ts"]
  },
  {
    name: "an expired platform key works",
    file: "src/keys/repo.ts",
    find: "'key-revoked' when expires_at <= now() then 'key-expired' end",
    replace: "'key-revoked' end",
    tests: ["test/keys/credential.test.ts"]
  },
  {
    name: "a process goes on with a platform key that it has revoked",
    file: "src/keys/service.ts",
    find: "yield* verification.forget(known)",
    replace: "yield* Effect.void",
    tests: ["test/keys/credential.test.ts", "test/keys/replicas.system.test.ts"]
  },
  {
    name: "other processes do not hear of a revoked platform key",
    file: "src/keys/repo.ts",
    find: "select name, was_active, ${notify(revokedTopic, id)} from key",
    replace: "select name, was_active from key",
    tests: ["test/keys/replicas.system.test.ts"]
  },
  {
    name: "a company revokes the platform keys of others",
    file: "src/keys/repo.ts",
    find: "where company_id = ${companyId} and id = ${id} for no key update",
    replace: "where id = ${id} for no key update",
    tests: ["test/contract/cross-company.test.ts"]
  },
  {
    name: "the list of platform keys has those of all companies",
    file: "src/keys/repo.ts",
    find: "from api_keys where company_id = ${companyId}\n          order by",
    replace: "from api_keys where ${companyId}::uuid is not null\n          order by",
    tests: ["test/keys/api-keys.test.ts"]
  },
  {
    name: "a revoked platform key has no event",
    file: "src/keys/repo.ts",
    find: '), recorded as (${keyEvents("revoked", sql`revoked`)})',
    replace: ")",
    tests: ["test/contract/event-types.isolated.test.ts"]
  },
  {
    name: "a company has one platform key too many",
    file: "src/keys/repo.ts",
    find: "from there where active < ${most.active}",
    replace: "from there where active <= ${most.active}",
    tests: ["test/accounts/quotas.test.ts"]
  },
  {
    name: "an unknown platform key gets 403",
    file: "src/keys/api.ts",
    find: 'fails(ApiKeyNotFound, 404, "API key not found")',
    replace: 'fails(ApiKeyNotFound, 403, "API key not found")',
    tests: ["test/contract/openapi.test.ts"]
  },
  {
    name: "older keys with * get scopes that have to be named",
    file: "src/keys/scopes-model.ts",
    find: "if (namedScopes.has(scope)) return held === scope",
    replace: "if (namedScopes.has(scope) && held === scope) return true",
    tests: ["test/keys/model.test.ts"]
  },
  {
    name: "made-up keys from one address are never limited",
    file: "src/limits/failure-budget.ts",
    find: "spend: (address, kept) => (isLoopback(address) ? 0 : budget.spend(of(address), kept))",
    replace: "spend: () => 0",
    tests: ["test/limits/public-routes.test.ts"]
  },
  {
    name: "each address of an IPv6 subscriber has a budget",
    file: "src/limits/failure-budget.ts",
    find: "export const clientPrefix = beginning(4, 4)",
    replace: "export const clientPrefix = beginning(4, 8)",
    tests: ["test/limits/failure-budget.test.ts"]
  },
  {
    name: "sign-ups from one network are not limited",
    file: "src/limits/attempts.ts",
    find: "budgets.push(perAddress(shared, networkPrefix))",
    replace: "perAddress(shared, networkPrefix)",
    tests: ["test/limits/public-routes.test.ts", "test/accounts/sign-in-limits.isolated.test.ts"]
  },
  {
    name: "a sealed file opens although its end is missing",
    file: "src/secrets/sealed-file.ts",
    find: "nonce.writeUInt8(isLast ? 1 : 0, 11)",
    replace: "nonce.writeUInt8(0, 11)",
    tests: ["test/secrets/sealed-file.test.ts"]
  },
  {
    name: "the checksum of tokens is not checked",
    file: "src/secrets/token.ts",
    find: "endsWithChecksum(token) &&",
    replace: "true &&",
    tests: ["test/secrets/token.test.ts"]
  },
  {
    name: "the previous SECRET_KEY opens nothing",
    file: "src/secrets/secret-key.ts",
    find: "previous === undefined ? [root] : [root, previous]",
    replace: "[root]",
    tests: ["test/secrets/previous-key.test.ts"]
  },
  {
    name: "all users of the machine can read the stored secret key",
    file: "src/secrets/stored-key.ts",
    find: "mode: 0o600",
    replace: "mode: 0o644",
    tests: ["test/secrets/secret-key.test.ts", "test/accounts/first-start.system.test.ts"]
  },
  {
    name: "any number of sign-ins query the database at once",
    file: "src/accounts/password-attempts.ts",
    find: "const lookUpsAtOnce = 4",
    replace: "const lookUpsAtOnce = 40",
    tests: ["test/accounts/sign-in-limits.isolated.test.ts"]
  },
  {
    name: "a waiting sign-in keeps a password of any length",
    file: "src/accounts/api.ts",
    find: 'given.length > maxPassword ? "too long" : given',
    replace: "given",
    tests: ["test/accounts/sign-in.isolated.test.ts"]
  },
  {
    name: "each sign-in of a device adds an entry to its cookie",
    file: "src/accounts/devices.ts",
    find: ".filter((given) => !isSameAccount(given))",
    replace: "",
    tests: ["test/accounts/devices.test.ts"]
  },
  {
    name: "pages of other ports are of the same site",
    file: "src/accounts/credential.ts",
    find: "page.host === host.toLowerCase()",
    replace: 'page.hostname === host.toLowerCase().split(":")[0]',
    tests: ["test/accounts/dashboard-session.test.ts"]
  },
  {
    name: "behind a proxy that ends TLS, with an http BASE_URL, nobody writes",
    file: "src/accounts/credential.ts",
    find: 'new Set(["https:", new URL(baseUrl).protocol])',
    replace: "new Set([new URL(baseUrl).protocol])",
    tests: ["test/accounts/dashboard-session.test.ts"]
  },
  {
    name: "an owner undoes the demotion that they waited for",
    file: "src/accounts/members-repo.ts",
    find: "          (owners) => owners > 0,\n          () => new RoleForbidden()",
    replace: "          (owners) => owners >= 0,\n          () => new RoleForbidden()",
    tests: ["test/accounts/members.test.ts"]
  },
  {
    name: "invitations of a demoted owner open",
    file: "src/accounts/invitations-repo.ts",
    find: "m.company_id = i.company_id and m.role = 'owner'\"",
    replace: 'm.company_id = i.company_id"',
    tests: ["test/accounts/members.test.ts"]
  },
  {
    name: "a sign-in that replaces a session ends another one",
    file: "src/accounts/repo.ts",
    find: "where user_id = ${userId} and token_hash is distinct from ${replacedHash ?? null}\n",
    replace: "where user_id = ${userId}\n",
    tests: ["test/accounts/own-account.test.ts"]
  },
  {
    name: "the User-Agent of a session may have any length",
    file: "src/audit/model.ts",
    find: "asStorable(header, maxUserAgent)",
    replace: "asStorable(header, 100_000)",
    tests: ["test/accounts/own-account.test.ts"]
  }
]
