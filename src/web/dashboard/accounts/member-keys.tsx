import { doorlock } from "../common/call.ts"
import { formatCount } from "../common/parts.tsx"
import { Loaded, useResource } from "../common/resource.tsx"
import { Link } from "../common/router.tsx"

/** The active API keys that a member created, according to the audit trail. */
const loadKeysOf = async (memberId: string, signal: AbortSignal) => {
  const made = new Set<string>()
  let cursor: string | undefined
  do {
    const { events, next_cursor } = await doorlock.auditEvents.list(
      { action: "api_key.created", actor: memberId, limit: 100, cursor },
      { signal }
    )
    for (const { resource } of events) made.add(resource.id)
    cursor = next_cursor ?? undefined
  } while (cursor !== undefined)
  if (made.size === 0) return []
  const { apiKeys } = await doorlock.apiKeys.list({}, { signal })
  return apiKeys.filter(({ activeNow, id }) => activeNow && made.has(id))
}

/** How many keys are named; the page of keys lists all. */
const namesTold = 5

/** Before a member is removed: the keys they created stay valid, and they may still know them. */
export const MemberKeys = ({ memberId }: { readonly memberId: string }) => {
  const keys = useResource((signal) => loadKeysOf(memberId, signal), [memberId])
  return (
    <Loaded of={keys}>
      {(made) =>
        made.length === 0 ? (
          <p>According to the audit trail, they created none of the active API keys.</p>
        ) : (
          <>
            <p>
              According to the audit trail, they created {formatCount(made.length)} active API{" "}
              {made.length === 1 ? "key" : "keys"}. Keys belong to the company and keep working. If they may
              still have copies, revoke them under <Link to="/dashboard/keys">API keys</Link>.
            </p>
            <ul>
              {made.slice(0, namesTold).map(({ id, name, token_prefix }) => (
                <li key={id}>
                  <bdi>{name}</bdi> <code>{token_prefix}…</code>
                </li>
              ))}
              {made.length > namesTold ? <li>and {formatCount(made.length - namesTold)} more</li> : null}
            </ul>
          </>
        )
      }
    </Loaded>
  )
}
