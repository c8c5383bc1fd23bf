import type * as SqlClient from "@effect/sql/SqlClient"
import type { Effect } from "effect"
import type { Config, Configuration } from "../config.ts"
import { messageOf } from "../shared/error.ts"

export type Check = { readonly name: string } & (
  | {
      /** Undefined if the configuration does not name what this checks. */
      readonly ofConfiguration: (config: Configuration) => Effect.Effect<Finding | undefined>
    }
  | {
      /** Runs only if the database has all migrations. */
      readonly ofDatabase: Effect.Effect<Finding, unknown, SqlClient.SqlClient | Config>
    }
)

export interface Finding {
  readonly status: "ok" | "warning" | "failed" | "skipped"
  readonly message: string
  /** What to do if the state is not good. */
  readonly advice?: string
}

export interface NamedFinding extends Finding {
  readonly name: string
}

export const well = (message: string): Finding => ({ status: "ok", message })
export const doubtful = (message: string, advice: string): Finding => ({
  status: "warning",
  message,
  advice
})
export const failed = (message: string, advice: string): Finding => ({ status: "failed", message, advice })
export const skipped = (message: string): Finding => ({ status: "skipped", message })

/** The first sentence of an error, without its full stop. */
export const reason = (error: unknown): string => messageOf(error).replace(/[.?!](?:\s.*)?$/s, "")

/** The day in UTC, such as 2026-11-28. */
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10)

/** The first five, and the number of the rest. */
export const firstOf = (all: ReadonlyArray<string>): string =>
  [...all.slice(0, 5), ...(all.length > 5 ? [`and ${all.length - 5} more`] : [])].join("; ")
