import { useState } from "preact/hooks"
import { Alert, Button } from "../../ui/parts.tsx"
import { useMayWrite } from "../common/account.ts"
import { call } from "../common/call.ts"
import type { Answer } from "../common/contract.ts"
import { Confirm } from "../common/dialog.tsx"
import { KeyTable } from "../common/key-table.tsx"
import { Badge, Empty, Figures, formatCount, Page } from "../common/parts.tsx"
import { Loaded, useResource } from "../common/resource.tsx"
import { Link } from "../common/router.tsx"
import type { Column } from "../common/table.tsx"
import { Time } from "../common/time.tsx"

type ApiKey = Answer<"api-keys.list">["apiKeys"][number]

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
    call("api-keys.list", { signal }),
    call("api-keys.stats", { signal })
  ])
  return { apiKeys, stats }
}

const newKey = (
  <Link to="/dashboard/keys/new" class="button primary">
    Create key
  </Link>
)

const columns: ReadonlyArray<Column<ApiKey>> = [
  { label: "State", cell: (apiKey) => <State apiKey={apiKey} /> },
  {
    label: "Scopes",
    cell: ({ scopes }) =>
      scopes.length === 0 ? (
        <span class="faint">None</span>
      ) : scopes.includes("*") ? (
        "Everything"
      ) : (
        <div>
          {scopes.map((scope) => (
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
  const keys = useResource(load, [])
  const [revoking, setRevoking] = useState<ApiKey>()
  const [revoked, setRevoked] = useState<string>()
  return (
    <Page
      title="API keys"
      intro="Your servers use them to call doorlock: to create KYC sessions and to read their results."
      {...(mayWrite ? { actions: newKey } : {})}
    >
      <Loaded of={keys}>
        {({ apiKeys, stats }) => (
          <>
            {revoked === undefined ? null : (
              <Alert tone="info">
                <p>
                  “<bdi>{revoked}</bdi>” is revoked and no longer works.
                </p>
              </Alert>
            )}
            <Figures
              of={[
                ["Total", formatCount(stats.total)],
                ["Active", formatCount(stats.active)],
                ["Revoked", formatCount(stats.revoked_or_disabled)],
                ["Used in the last 24 hours", formatCount(stats.used_last_24h)]
              ]}
            />
            {apiKeys.length === 0 ? (
              <Empty title="No keys yet" {...(mayWrite ? { action: newKey } : {})}>
                A key is a secret that your server sends with every call.
              </Empty>
            ) : (
              <KeyTable
                label="API keys, newest first"
                apiKeys={apiKeys}
                columns={columns}
                actions={
                  mayWrite
                    ? (apiKey) =>
                        apiKey.revoked_at === null ? (
                          <Button onClick={() => setRevoking(apiKey)}>
                            Revoke <span class="visually-hidden">{apiKey.name}</span>
                          </Button>
                        ) : null
                    : undefined
                }
              />
            )}
          </>
        )}
      </Loaded>
      {revoking === undefined ? null : (
        <Confirm
          title={`Revoke “${revoking.name}”?`}
          act="Revoke key"
          onClose={() => setRevoking(undefined)}
          onConfirm={async () => {
            await call("api-keys.revoke", { path: { id: revoking.id } })
            setRevoked(revoking.name)
            await keys.reload()
          }}
        >
          <p>
            Calls with <code>{revoking.token_prefix}…</code> are refused from now on. This cannot be undone.
          </p>
        </Confirm>
      )}
    </Page>
  )
}
