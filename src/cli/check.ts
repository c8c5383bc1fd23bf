/** The checks of `doctor`, and their findings. */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { Effect } from "effect"
import type { Config, Configuration } from "../config.ts"
import { messageOf } from "../shared/error.ts"

export type Check = { readonly name: string } & (
  | {
      /** Checks what the configuration names. Undefined if the configuration does not name it. */
      readonly ofConfiguration: (config: Configuration) => Effect.Effect<Finding | undefined>
    }
  | {
      /** Checks the database. Runs only if the database has all migrations. */
      readonly ofDatabase: Effect.Effect<Finding, unknown, SqlClient.SqlClient | Config>
    }
)

export interface Finding {
  readonly status: "ok" | "warning" | "failed" | "skipped"
  /** The state found. */
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

/** The first sentence of an error, to be used within another sentence. */
export const reason = (error: unknown): string => messageOf(error).replace(/[.?!](?:\s.*)?$/s, "")

/** The first five of a list and the number of the rest, to be used in a sentence. */
export const firstOf = (all: ReadonlyArray<string>): string =>
  [...all.slice(0, 5), ...(all.length > 5 ? [`and ${all.length - 5} more`] : [])].join("; ")
