import type { ComponentChildren } from "preact"
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
  /** Badges after the name. */
  readonly mark?: (key: K) => ComponentChildren
  /** The columns between the name and the creation date. */
  readonly columns: ReadonlyArray<Column<K>>
  /** Undefined for users who may not change keys. */
  readonly actions?: ((key: K) => ComponentChildren) | undefined
}

/** A table of platform API keys, or of the keys of a subscription. */
export const KeyTable = <K extends Key>({ actions, apiKeys, columns, label, mark }: KeyTableProps<K>) => (
  <LongTable
    label={label}
    rows={apiKeys}
    keyOf={({ id }) => id}
    columns={[
      {
        label: "Name",
        cell: (key) => (
          <>
            <bdi>{key.name}</bdi> {mark?.(key)}
            <code class="under">{key.token_prefix}…</code>
          </>
        )
      },
      ...columns,
      { label: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
      ...(actions === undefined ? [] : [{ label: "Actions", actions: true, cell: actions }])
    ]}
  />
)
