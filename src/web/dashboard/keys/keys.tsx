import { Icon } from "../../brand/drawn.tsx"
import { Button } from "../../ui/parts.tsx"
import { useMayWrite } from "../common/account.ts"
import { type Answer, doorlock } from "../common/call.ts"
import { KeyTable } from "../common/key-table.tsx"
import { Badge, Empty, Facts, formatCount, Page } from "../common/parts.tsx"
import { Loaded, useResource } from "../common/resource.tsx"
import { setQuery, useLocation } from "../common/router.tsx"
import type { Column } from "../common/table.tsx"
import { Time } from "../common/time.tsx"
import { WriteAccessLink } from "../common/write-access.tsx"

type ApiKey = Answer<"apiKeys.list">["apiKeys"][number]

const State = ({ apiKey }: { readonly apiKey: ApiKey }) =>
  apiKey.revoked_at !== null ? (
    <Badge tone="problem">Revoked</Badge>
  ) : apiKey.activeNow ? (
    <Badge tone="good">Active</Badge>
  ) : (
    <Badge tone="warning">Expired</Badge>
  )

const load = async (signal: AbortSignal) => {
  const [{ apiKeys }, { stats }] = await Promise.all([
    doorlock.apiKeys.list({}, { signal }),
    doorlock.apiKeys.stats({ signal })
  ])
  return { apiKeys, stats }
}

const newKey = (
  <WriteAccessLink to="/dashboard/keys/new" class="button primary">
    <Icon name="add" /> Create key
  </WriteAccessLink>
)

const columns: ReadonlyArray<Column<ApiKey>> = [
  { label: "State", cell: (apiKey) => <State apiKey={apiKey} /> },
  {
    label: "Scopes",
    cell: ({ scopes }) =>
      scopes.length === 0 ? (
        <span class="faint">None</span>
      ) : (
        <div>
          {scopes.includes("*") ? "Everything " : null}
          {scopes
            .filter((scope) => scope !== "*")
            .map((scope) => (
              <code key={scope} class="scope">
                {scope}
              </code>
            ))}
        </div>
      )
  },
  { label: "Last used", cell: ({ last_used_at }) => <Time at={last_used_at} /> },
  { label: "Expires", cell: ({ expiresAt }) => <Time at={expiresAt} /> }
]

export const KeysPage = () => {
  const mayWrite = useMayWrite()
  const only = useLocation().query.get("key")
  const keys = useResource(load, [])
  const revoke = async (id: string) => {
    await doorlock.apiKeys.revoke(id)
    await keys.reload()
  }
  return (
    <Page
      title="API keys"
      intro="Your servers use API keys to call doorlock, for example to create KYC sessions and to read their results."
      actions={newKey}
    >
      <Loaded of={keys}>
        {({ apiKeys, stats }) => (
          <>
            <Facts
              look="figures"
              of={[
                ["Total", formatCount(stats.total)],
                ["Active", formatCount(stats.active)],
                ["Revoked", formatCount(stats.revoked_or_disabled)],
                ["Used in the last 24 hours", formatCount(stats.used_last_24h)]
              ]}
            />
            {/* From the search. */}
            {only === null ? null : (
              <p>
                Only one key is shown.{" "}
                <Button onClick={() => setQuery({ key: undefined })}>Show all keys</Button>
              </p>
            )}
            <KeyTable
              label="API keys, newest first"
              apiKeys={only === null ? apiKeys : apiKeys.filter(({ id }) => id === only)}
              empty={
                <Empty icon="keys" title="No keys yet" action={newKey}>
                  A key is a secret that your server sends with every call.
                </Empty>
              }
              columns={columns}
              isRevocable={({ revoked_at }) => revoked_at === null}
              onRevoke={mayWrite ? revoke : undefined}
            />
          </>
        )}
      </Loaded>
    </Page>
  )
}
