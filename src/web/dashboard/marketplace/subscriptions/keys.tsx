import { useMayWrite } from "../../common/account.ts"
import { type Answer, doorlock } from "../../common/call.ts"
import { KeyTable } from "../../common/key-table.tsx"
import { Badge, Empty, Section } from "../../common/parts.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"
import { Link } from "../../common/router.tsx"
import type { Column } from "../../common/table.tsx"
import { Time } from "../../common/time.tsx"
import { WriteAccessLink } from "../../common/write-access.tsx"
import type { Subscription } from "./subscriptions.tsx"

type Key = Answer<"marketplaceKeys.list">["apiKeys"][number]

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
  const keys = useResource((signal) => doorlock.marketplaceKeys.list(id, { signal }), [id, status])
  const revoke = async (keyId: string) => {
    await doorlock.marketplaceKeys.revoke(keyId)
    await keys.reload()
  }
  const isActive = status === "active"
  return (
    <Section
      title="Keys"
      actions={
        isActive ? (
          <WriteAccessLink to={`/dashboard/subscriptions/${id}/keys/new`} class="button">
            Create key
          </WriteAccessLink>
        ) : null
      }
    >
      <Loaded of={keys}>
        {({ apiKeys }) => (
          <KeyTable
            label="Keys, newest first"
            apiKeys={apiKeys}
            empty={
              <Empty icon="keys" title="No keys">
                Your server sends a key with every call.
              </Empty>
            }
            mark={({ mode }) => (mode === "test" ? <Badge>Test</Badge> : null)}
            columns={columns}
            isRevocable={({ activeNow }) => activeNow}
            onRevoke={mayWrite && isActive ? revoke : undefined}
            actions={(key) =>
              key.rotated_to === null ? (
                <Link to={`/dashboard/subscriptions/${id}/keys/${key.id}/rotate`} class="button">
                  Rotate <span class="visually-hidden">{key.name}</span>
                </Link>
              ) : null
            }
            advice="To replace a key without downtime, rotate it."
          />
        )}
      </Loaded>
    </Section>
  )
}
