import { useState } from "preact/hooks"
import { Alert, Button } from "../../../ui/parts.tsx"
import { useMayWrite } from "../../common/account.ts"
import { call } from "../../common/call.ts"
import type { Answer } from "../../common/contract.ts"
import { Confirm } from "../../common/dialog.tsx"
import { KeyTable } from "../../common/key-table.tsx"
import { Badge, Empty, Section } from "../../common/parts.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"
import { Link } from "../../common/router.tsx"
import type { Column } from "../../common/table.tsx"
import { Time } from "../../common/time.tsx"
import type { Subscription } from "./subscriptions.tsx"

type Key = Answer<"marketplace-keys.list">["apiKeys"][number]

const State = ({ of }: { readonly of: Key }) => {
  if (of.revoked_at !== null) return <Badge tone="problem">Revoked</Badge>
  if (!of.activeNow) return <Badge>{of.expiresAt === null ? "Ended" : "Replaced"}</Badge>
  return of.rotated_to === null ? (
    <Badge tone="good">Active</Badge>
  ) : (
    <>
      <Badge tone="warning">Replaced</Badge>
      <span class="under">
        works until <Time at={of.expiresAt} precise />
      </span>
    </>
  )
}

const columns: ReadonlyArray<Column<Key>> = [
  { label: "State", cell: (key) => <State of={key} /> },
  { label: "Last used", cell: ({ last_used_at }) => <Time at={last_used_at} /> }
]

export const Keys = ({ of: { id, status } }: { readonly of: Subscription }) => {
  const mayWrite = useMayWrite()
  // Reloaded after a cancellation, which ends the subscription's keys.
  const keys = useResource((signal) => call("marketplace-keys.list", { path: { id }, signal }), [id, status])
  const [revoking, setRevoking] = useState<Key>()
  const [revoked, setRevoked] = useState<string>()
  const writes = mayWrite && status === "active"
  return (
    <Section
      title="Keys"
      actions={
        writes ? (
          <Link to={`/dashboard/subscriptions/${id}/keys/new`} class="button">
            Create key
          </Link>
        ) : null
      }
    >
      {revoked === undefined ? null : (
        <Alert tone="info">
          <p>“{revoked}” is revoked: the gateway refuses it from now on.</p>
        </Alert>
      )}
      <Loaded of={keys}>
        {({ apiKeys }) =>
          apiKeys.length === 0 ? (
            <Empty title="No keys">Your server sends a key with every call.</Empty>
          ) : (
            <KeyTable
              label="Keys, newest first"
              apiKeys={apiKeys}
              mark={({ mode }) => (mode === "test" ? <Badge>Test</Badge> : null)}
              columns={columns}
              actions={
                writes
                  ? (key) =>
                      key.activeNow ? (
                        <span class="buttons">
                          {key.rotated_to === null ? (
                            <Link to={`/dashboard/subscriptions/${id}/keys/${key.id}/rotate`} class="button">
                              Rotate <span class="visually-hidden">{key.name}</span>
                            </Link>
                          ) : null}
                          <Button onClick={() => setRevoking(key)}>
                            Revoke <span class="visually-hidden">{key.name}</span>
                          </Button>
                        </span>
                      ) : null
                  : undefined
              }
            />
          )
        }
      </Loaded>
      {revoking === undefined ? null : (
        <Confirm
          title={`Revoke “${revoking.name}”?`}
          act="Revoke key"
          onClose={() => setRevoking(undefined)}
          onConfirm={async () => {
            await call("marketplace-keys.revoke", { path: { id: revoking.id } })
            setRevoked(revoking.name)
            await keys.reload()
          }}
        >
          <p>
            Calls with <code>{revoking.token_prefix}…</code> are refused from now on. This cannot be undone.
            To replace a key without downtime, rotate it.
          </p>
        </Confirm>
      )}
    </Section>
  )
}
