import type { ComponentChildren, JSX } from "preact"
import { useState } from "preact/hooks"
import { Alert, Button } from "../../ui/parts.tsx"
import { Confirm } from "./dialog.tsx"
import { type Column, LongTable } from "./table.tsx"
import { Time } from "./time.tsx"

interface Key {
  readonly id: string
  readonly name: string
  readonly token_prefix: string
  readonly created_at: string
}

interface KeyTableProps<K extends Key> {
  readonly label: string
  readonly apiKeys: ReadonlyArray<K>
  readonly empty: JSX.Element
  /** Badges after the name. */
  readonly mark?: (key: K) => ComponentChildren
  /** The columns between the name and the creation date. */
  readonly columns: ReadonlyArray<Column<K>>
  readonly isRevocable: (key: K) => boolean
  /** Revokes a key and reloads the table; undefined for users who may not. */
  readonly onRevoke: ((id: string) => Promise<void>) | undefined
  /** What else to do with a revocable key. */
  readonly actions?: (key: K) => ComponentChildren
  /** What to do instead of revoking. */
  readonly advice?: string
}

/** A table of platform API keys, or of the keys of a subscription, with a button to revoke each. */
export const KeyTable = <K extends Key>({
  actions,
  advice,
  apiKeys,
  columns,
  isRevocable,
  mark,
  onRevoke,
  ...table
}: KeyTableProps<K>) => {
  const [revoking, setRevoking] = useState<K>()
  const [revoked, setRevoked] = useState<string>()
  const actionsOf = (key: K) =>
    isRevocable(key) ? (
      <span class="buttons">
        {actions?.(key)}
        <Button onClick={() => setRevoking(key)}>
          Revoke <span class="visually-hidden">{key.name}</span>
        </Button>
      </span>
    ) : null
  return (
    <>
      {revoked === undefined ? null : (
        <Alert tone="good">
          <p>
            “<bdi>{revoked}</bdi>” is revoked and no longer works.
          </p>
        </Alert>
      )}
      <LongTable
        {...table}
        rows={apiKeys}
        columns={[
          {
            label: "Name",
            cell: (key) => (
              <>
                <bdi>{key.name}</bdi> {mark?.(key)}
              </>
            ),
            under: ({ token_prefix }) => <code>{token_prefix}…</code>
          },
          ...columns,
          { label: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
          ...(onRevoke === undefined ? [] : [{ label: "Actions", actions: true, cell: actionsOf }])
        ]}
      />
      {revoking === undefined || onRevoke === undefined ? null : (
        <Confirm
          title={`Revoke “${revoking.name}”?`}
          act="Revoke key"
          onClose={() => setRevoking(undefined)}
          onConfirm={async () => {
            await onRevoke(revoking.id)
            setRevoked(revoking.name)
          }}
        >
          <p>
            Calls with <code>{revoking.token_prefix}…</code> will be refused at once. This cannot be undone.{" "}
            {advice}
          </p>
        </Confirm>
      )}
    </>
  )
}
