/** Every statement that a database executes, with its query plan. */
import { Effect, Redacted, type Scope } from "effect"
import { messageTap } from "../../support/database/message-tap.ts"
import { execute } from "../../support/postgres.ts"

/** A node of a plan, as `explain (analyze, format json)` writes it (PostgreSQL documentation, 14.1). */
export interface PlanNode {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Index Name"?: string
  /** The average over all executions of the node. */
  readonly "Actual Rows"?: number
  readonly "Actual Loops"?: number
  readonly "Rows Removed by Filter"?: number
  readonly "Rows Removed by Index Recheck"?: number
  readonly Plans?: ReadonlyArray<PlanNode>
}

/** An executed statement, including those that another statement caused (by a trigger or a foreign key). */
export interface Explained {
  readonly text: string
  readonly plan: PlanNode
}

/** A notice of auto_explain: `duration: 0.123 ms  plan:` and the plan. */
const explained = (message: string): Explained | undefined => {
  const json = /^duration: [0-9.]+ ms {2}plan:\n(\{.*)$/s.exec(message)?.[1]
  if (json === undefined) return undefined
  const { Plan: plan, "Query Text": text } = JSON.parse(json)
  return { text, plan }
}

/** The message of a notice (PostgreSQL documentation, 54.8). Each field is a letter and a text. */
const messageOf = (notice: Buffer): string => {
  for (let at = 0; notice[at] !== undefined && notice[at] !== 0; ) {
    const end = notice.indexOf(0, at)
    if (notice[at] === 77 /* M */) return notice.toString("utf8", at + 1, end)
    at = end + 1
  }
  return ""
}

/**
 * Makes the database explain all statements on connections to the returned URL. Needs a superuser.
 *
 * @param more settings of the database
 * @returns that URL, and all plans so far
 */
export const explaining = (
  databaseUrl: Redacted.Redacted<string>,
  more: Readonly<Record<string, string>> = {}
): Effect.Effect<
  { readonly url: Redacted.Redacted<string>; readonly statements: ReadonlyArray<Explained> },
  Error,
  Scope.Scope
> =>
  Effect.gen(function* () {
    const database = new URL(Redacted.value(databaseUrl)).pathname.slice(1)
    const settings = {
      session_preload_libraries: "auto_explain",
      "auto_explain.log_min_duration": "0",
      "auto_explain.log_analyze": "on",
      "auto_explain.log_timing": "off",
      "auto_explain.log_format": "json",
      "auto_explain.log_nested_statements": "on",
      "auto_explain.log_level": "notice",
      ...more
    }
    const lines = Object.entries(settings).map(
      ([name, value]) => `alter database "${database}" set ${name} = '${value}'`
    )
    yield* execute(databaseUrl, ["load 'auto_explain'", ...lines].join(";\n"))
    const statements: Array<Explained> = []
    const url = yield* messageTap(databaseUrl, {
      fromServer: (type, body) => {
        const statement = type === "N" ? explained(messageOf(body)) : undefined
        if (statement !== undefined) statements.push(statement)
      }
    })
    return { url, statements }
  })
