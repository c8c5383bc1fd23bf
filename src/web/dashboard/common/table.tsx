import type { ComponentChildren, JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../ui/parts.tsx"
import { isolated } from "./isolated.tsx"

export interface Column<Row> {
  readonly label: string
  readonly cell: (row: Row) => ComponentChildren
  /** A second, smaller line. */
  readonly under?: (row: Row) => ComponentChildren
  /** Numbers are right-aligned. */
  readonly numeric?: boolean
  /** The column of the row's actions: a card shows no label for it. */
  readonly actions?: boolean
}

interface Item {
  readonly id: string
}

interface TableProps<Row> {
  /** The list's name for screen readers. */
  readonly label: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  /** Replaces a table without rows. */
  readonly empty?: JSX.Element
}

/** Whether the columns need little room, so that the table fits beside something else. Numbers need half of that of texts. */
const areFew = (columns: ReadonlyArray<Pick<Column<never>, "numeric">>): boolean =>
  columns.reduce((sum, { numeric }) => sum + (numeric ? 0.5 : 1), 0) <= 4

/** A table whose first column names the item. On narrow screens, each row becomes a card. */
export const Table = <Row extends Item>({ columns, empty, label, rows }: TableProps<Row>) =>
  rows.length === 0 && empty !== undefined ? (
    empty
  ) : (
    <div class={areFew(columns) ? "listing few" : "listing"}>
      <table class="table">
        <caption class="visually-hidden">{label}</caption>
        <thead>
          <tr>
            {columns.map(({ actions, label, numeric }) => (
              <th key={label} scope="col" class={numeric ? "numeric" : ""}>
                {actions ? <span class="visually-hidden">{label}</span> : label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              {columns.map(({ actions, cell, label, numeric, under }, index) => {
                const second = under && <span class="under">{under(row)}</span>
                return index === 0 ? (
                  <th key={label} scope="row">
                    {isolated(cell(row))}
                    {second}
                  </th>
                ) : (
                  <td
                    key={label}
                    class={actions ? "row-actions" : numeric ? "numeric" : ""}
                    data-label={actions ? undefined : label}
                  >
                    {isolated(cell(row))}
                    {second}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )

/** How many rows are shown at first, and added at a time. */
const shownAtOnce = 50

/** The first rows of a long list, at least `atLeast`. Render `more`, the button that shows more, if there are any. */
export const useShown = <Row,>(rows: ReadonlyArray<Row>, atLeast = 0) => {
  const [limit, setLimit] = useState(Math.max(shownAtOnce, atLeast))
  const more = (
    <div class="more">
      <Button onClick={() => setLimit(limit + shownAtOnce)}>Show more</Button>
    </div>
  )
  return { shown: rows.slice(0, limit), more: rows.length > limit ? more : null }
}

/** A table that shows the first rows of a long list. */
export const LongTable = <Row extends Item>({ rows, ...table }: TableProps<Row>) => {
  const { more, shown } = useShown(rows)
  return (
    <>
      <Table {...table} rows={shown} />
      {more}
    </>
  )
}
