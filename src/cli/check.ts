/** What the checks of `doctor` are, and what they find. */
import type * as SqlClient from "@effect/sql/SqlClient"
import type * as Effect from "effect/Effect"
import type { Config, Configuration } from "../config.ts"

/** Something that `doctor` looks at. */
export type Check = { readonly name: string } & (
  | {
      /** Of what the configuration names; finds nothing where it does not name that. */
      readonly ofConfiguration: (config: Configuration) => Effect.Effect<Finding | undefined>
    }
  | {
      /** Of what is in the database; asked only where that has its migrations. */
      readonly ofDatabase: Effect.Effect<Finding, unknown, SqlClient.SqlClient | Config>
    }
)

/** What a check finds. */
export interface Finding {
  readonly status: "ok" | "warning" | "failed" | "skipped"
  /** What is so. */
  readonly message: string
  /** What to do about it, when it is not well. */
  readonly advice?: string
}

/** A finding, and what it is about. */
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

/** What an error says first, as part of a sentence. */
export const reason = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/[.?!](?:\s.*)?$/s, "")

/** The first five of many, for a sentence, and how many more there are. */
export const firstOf = (all: ReadonlyArray<string>): string =>
  [...all.slice(0, 5), ...(all.length > 5 ? [`and ${all.length - 5} more`] : [])].join("; ")
