/** Which query plans become slower as the data grows. */
import type { Explained, PlanNode } from "./explained.ts"

/** The most rows that a statement may read from a table, unless it returns as many: a page has 100. */
const mostRows = 1_000

/** A statement that reads more, and why that is bounded or must be. */
export interface Exception {
  /** The part of its text that identifies it. */
  readonly text: string
  readonly reason: string
  /** The most rows that it may read from a table; by default any number. */
  readonly most?: number
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
  // A ModifyTable node names the table, too, but its input does the reading.
  if (table === undefined || plan["Node Type"] === "ModifyTable") return nodes
  const name = index === undefined ? plan["Node Type"] : `${plan["Node Type"]} (${index})`
  return [{ table, node: name, rows: Math.round(each * (plan["Actual Loops"] ?? 0)) }, ...nodes]
}

/** The partitions of sessions that were read. */
export const partitionsRead = (plan: PlanNode, tableOf: (index: string) => string): ReadonlyArray<string> => {
  const index = plan["Index Name"]
  const table = plan["Relation Name"] ?? (index === undefined ? "" : tableOf(index))
  const own =
    /^kyc_sessions_(?:first|\d{6})$/.test(table) &&
    plan["Node Type"] !== "ModifyTable" &&
    plan["Actual Loops"] !== 0
  const below = (plan.Plans ?? []).flatMap((part) => partitionsRead(part, tableOf))
  return [...new Set(own ? [table, ...below] : below)]
}

/** Rows that a statement returns or changes. */
const answers = (plan: PlanNode): number =>
  Math.max(
    plan["Actual Rows"] ?? 0,
    ...(plan["Node Type"] === "ModifyTable" ? (plan.Plans ?? []).map(answers) : [])
  )

/**
 * The fault of a statement's plan in one line, or undefined.
 *
 * @param tableOf the table of an index
 * @param small tables that may be read whole
 * @param most the most rows that the statement may read from a table, unless it returns as many
 */
export const fault = (
  { plan, text }: Explained,
  tableOf: (index: string) => string,
  small: ReadonlyArray<string>,
  most: number = mostRows
): string | undefined => {
  const answered = answers(plan)
  const found = readings(plan, tableOf).filter(
    ({ node, rows, table }) =>
      !small.includes(table) && rows > Math.max(node === "Seq Scan" ? 1 : most, 4 * answered)
  )
  if (found.length === 0) return undefined
  const what = found.map(({ node, rows, table }) => `${node} of ${table} reads ${rows} rows`)
  return `${what.join(", ")}; answers ${answered}: ${text.replaceAll(/\s+/g, " ").trim()}`
}
