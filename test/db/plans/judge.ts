/** Which plans cost more the more is stored. */
import type { Explained, PlanNode } from "./explained.ts"

/** Rows that a statement may read of a table, at most, unless it answers as many: a page has 100. */
const mostRows = 1_000

/** A statement that adds up, or answers, all of something, and why that is bounded, or has to be so. */
export interface Exception {
  /** Of its text, what tells it. */
  readonly text: string
  readonly reason: string
}

interface Reading {
  readonly table: string
  readonly node: string
  readonly rows: number
}

const readings = (plan: PlanNode, tableOf: (index: string) => string): ReadonlyArray<Reading> => {
  const index = plan["Index Name"]
  const table = plan["Relation Name"] ?? (index === undefined ? undefined : tableOf(index))
  const each =
    (plan["Actual Rows"] ?? 0) +
    (plan["Rows Removed by Filter"] ?? 0) +
    (plan["Rows Removed by Index Recheck"] ?? 0)
  const nodes = (plan.Plans ?? []).flatMap((part) => readings(part, tableOf))
  // What changes rows has the table's name, too; it is its input that reads.
  if (table === undefined || plan["Node Type"] === "ModifyTable") return nodes
  const name = index === undefined ? plan["Node Type"] : `${plan["Node Type"]} (${index})`
  return [{ table, node: name, rows: Math.round(each * (plan["Actual Loops"] ?? 0)) }, ...nodes]
}

/** Rows that a statement answers, or changes. */
const answers = (plan: PlanNode): number =>
  Math.max(
    plan["Actual Rows"] ?? 0,
    ...(plan["Node Type"] === "ModifyTable" ? (plan.Plans ?? []).map(answers) : [])
  )

/**
 * What is wrong with the plan of a statement, in a line; undefined when nothing is.
 *
 * @param tableOf the table of an index
 * @param small tables of which everything may be read
 */
export const fault = (
  { plan, text }: Explained,
  tableOf: (index: string) => string,
  small: ReadonlyArray<string>
): string | undefined => {
  const answered = answers(plan)
  const found = readings(plan, tableOf).filter(
    ({ node, rows, table }) =>
      !small.includes(table) && rows > Math.max(node === "Seq Scan" ? 1 : mostRows, 4 * answered)
  )
  if (found.length === 0) return undefined
  const what = found.map(({ node, rows, table }) => `${node} of ${table} reads ${rows} rows`)
  return `${what.join(", ")}; answers ${answered}: ${text.replaceAll(/\s+/g, " ").trim()}`
}
