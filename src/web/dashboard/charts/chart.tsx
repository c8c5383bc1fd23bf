/** A chart of stacked bars, with the same numbers as a table. */
import type { ComponentChildren, JSX } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { Disclosure } from "../common/disclosure.tsx"
import { formatCount } from "../common/parts.tsx"
import { chartAddress } from "../common/surroundings.ts"
import { Table } from "../common/table.tsx"
import type { Bars } from "./drawing.ts"

interface ChartProps extends Bars {
  /** In one sentence, for screen readers. */
  readonly told: string
  /** What a bar stands for: the first column of the table. */
  readonly of: string
  readonly children?: ComponentChildren
  /** A table with these numbers, and more, that stands beside the chart; by default the chart has one that can be opened. */
  readonly table?: JSX.Element
}

/** Without the script of the charts, the page shows the tables only. */
export const Chart = ({ children, labels, of, series, table, told }: ChartProps) => {
  const box = useRef<HTMLDivElement>(null)
  const [missing, setMissing] = useState(false)
  useEffect(() => {
    const address = chartAddress()
    let remove: (() => void) | undefined
    let gone = false
    const show = async () => {
      try {
        if (address === undefined) throw new Error("No address")
        const { draw }: typeof import("./drawing.ts") = await import(address)
        if (!gone && box.current !== null) remove = draw(box.current, { labels, series })
      } catch {
        setMissing(true)
      }
    }
    void show()
    return () => {
      gone = true
      remove?.()
    }
  }, [JSON.stringify([labels, series])])
  const rows = labels.map((label, place) => ({ id: label, place }))
  return (
    <figure class="chart">
      {missing ? null : <div class="chart-box" ref={box} role="img" aria-label={told} />}
      <figcaption>
        {series.map(({ look, name }) => (
          <span key={name} class="legend">
            <span class={`swatch ${look}`} aria-hidden="true" /> {name}
          </span>
        ))}
        {children}
      </figcaption>
      {table ?? (
        <Disclosure summary="Show as a table" class="inside">
          {() => (
            <Table
              label={told}
              rows={rows}
              columns={[
                { label: of, cell: ({ id }) => id },
                ...series.map(({ name, values }) => ({
                  label: name,
                  numeric: true,
                  cell: ({ place }: { readonly place: number }) => formatCount(values[place] ?? 0)
                }))
              ]}
            />
          )}
        </Disclosure>
      )}
    </figure>
  )
}
