/** The scopes of platform keys. The dashboard shares these rules, so this file imports nothing. */

/** Every scope that a route requires, and what it permits. */
export const knownScopes = {
  "kyc:instances:read": "Read KYC instances: their config and workflow",
  "kyc:sessions:create": "Create KYC sessions",
  "kyc:sessions:read": "Read KYC sessions and their results",
  "kyc:sessions:write": "Cancel KYC sessions, and give them new links",
  "kyc:sessions:export": "Export everything about a KYC session, with the originals of its files",
  "kyc:sessions:redact": "Destroy the personal data of KYC sessions",
  "kyc:files:read": "Read files of KYC sessions: photos and documents",
  "kyc:files:original": "Read the originals of those files, with their metadata",
  "kyc:reviews:read": "Read reviews of KYC sessions, and notes about them",
  "kyc:reviews:write": "Decide on KYC sessions",
  "marketplace:subscriptions:read": "Read subscriptions to published APIs",
  "marketplace:subscriptions:create": "Subscribe to published APIs, and get a key for each",
  "usage:read": "Read how often published APIs are called",
  "events:read": "Read the company's events",
  "webhooks:read": "Read webhook endpoints and deliveries",
  "webhooks:write": "Change webhook endpoints, and send to them"
} as const

export type KnownScope = keyof typeof knownScopes

/** Scopes of routes that were once for dashboard users alone. They have to be named: older keys with `*` or an ancestor were not meant to have them. */
export const namedScopes: ReadonlySet<string> = new Set<KnownScope>([
  "kyc:instances:read",
  "marketplace:subscriptions:read",
  "marketplace:subscriptions:create",
  "usage:read"
])

/** Whether `scopes` hold `scope`, or, unless it has to be named, `*` or its ancestor with or without `:*` (contract.md#scope-match). */
export const permits = (scopes: ReadonlyArray<string>, scope: string): boolean =>
  scopes.some((held) => {
    if (namedScopes.has(scope)) return held === scope
    if (held === "*") return true
    const ancestor = held.endsWith(":*") ? held.slice(0, -2) : held
    return scope === held || scope.startsWith(`${ancestor}:`)
  })

/** How a key without the scope is refused. */
export const withoutScope = (scope: string): string => `API key does not have the scope ${scope}`

const isIdle = (scope: string): boolean => !Object.keys(knownScopes).some((one) => permits([scope], one))

/** What may be wrong with a key that was created: what `doorlock-warnings` says, and the same in words. The client has these words, too. */
export const keyWarnings = {
  "unknown-scope": "A scope of the key permits nothing: no route asks for it.",
  "expires-in-the-past": "The key has expired: its expiry is in the past.",
  "every-scope": "The key permits everything but what has to be named, because no scopes were given."
} as const

export type KeyWarning = keyof typeof keyWarnings

/** @param asked the scopes in the request, if any */
export const warningsOf = (
  asked: ReadonlyArray<string> | undefined,
  { activeNow }: { readonly activeNow: boolean }
): ReadonlyArray<KeyWarning> => [
  ...(asked?.some(isIdle) ? (["unknown-scope"] as const) : []),
  ...(activeNow ? [] : (["expires-in-the-past"] as const)),
  ...(asked === undefined ? (["every-scope"] as const) : [])
]

/** In sentences; undefined if each scope permits something. */
export const scopeWarning = (scopes: ReadonlyArray<string>): string | undefined => {
  if (scopes.length === 0) return "A key without scopes permits nothing."
  const known = Object.keys(knownScopes)
  const idle = scopes.filter(isIdle)
  if (idle.length === 0) return undefined
  const names = new Intl.ListFormat("en").format(idle.map((scope) => `“${scope}”`))
  const sentences = [
    idle.length === 1
      ? `${names} permits nothing: no route asks for it.`
      : `${names} permit nothing: no route asks for them.`,
    `Known scopes: ${known.join(", ")}.`
  ]
  if (idle.some((scope) => /\s/.test(scope))) {
    sentences.push("White space does not separate scopes: give each by itself.")
  }
  return sentences.join(" ")
}
