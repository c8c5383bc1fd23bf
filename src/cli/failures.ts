import { stripVTControlCharacters } from "node:util"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as ValidationError from "@effect/cli/ValidationError"
import type * as HttpApi from "@effect/platform/HttpApi"
import type { HttpApiDecodeError } from "@effect/platform/HttpApiError"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { SqlError } from "@effect/sql/SqlError"
import { Cause, Data, Effect } from "effect"
import { redact } from "../observability/redact.ts"

/** Loads the API contract, which says how a command reports the failures of use cases. */
export type LoadContract = () => Promise<{
  readonly Api: HttpApi.HttpApi<string, HttpApiGroup.HttpApiGroup.Any, HttpApiDecodeError>
}>

/** Scripts rely on them (docs/command-line.md, `--help`). */
export const exitCodes = {
  done: 0,
  /** The request was refused, or a check found a fault. */
  refused: 1,
  /** The command, or one of its values, is invalid. */
  usage: 2,
  /** The configuration in the environment is invalid. */
  configuration: 3,
  /** The database or another service is unavailable or not in the required state. */
  unavailable: 4,
  fault: 70,
  interrupted: 130
} as const

/** A command's own failure. The message is for the person who typed the command. */
export class CommandFailed extends Data.TaggedError("CommandFailed")<{
  readonly exitCode: number
  readonly message: string
}> {}

/** The command has written its answer. */
export class Answered extends Data.TaggedError("Answered")<{ readonly exitCode: number }> {}

export const refused = (message: string) => new CommandFailed({ exitCode: exitCodes.refused, message })
export const misused = (message: string) => new CommandFailed({ exitCode: exitCodes.usage, message })

export interface Explained {
  readonly exitCode: number
  /** Undefined if there is nothing more to say. */
  readonly sentence: string | undefined
  /** Not for scripts. */
  readonly details?: string
}

const oneLine = (text: string): string => stripVTControlCharacters(text).replaceAll(/\s+/g, " ").trim()

/** By tag, of failures that carry their own sentence. */
const codeOf: Readonly<Record<string, number>> = {
  InvalidConfiguration: exitCodes.configuration,
  DatabaseUnavailable: exitCodes.unavailable,
  EmbeddedPostgresError: exitCodes.unavailable,
  MigrationError: exitCodes.unavailable
}

const isTagged = (error: unknown): error is { readonly _tag: string; readonly message: string } =>
  error instanceof Error && "_tag" in error && typeof error._tag === "string"

/** Uses the sentence of the API, whose 400 means an invalid value. */
const byContract = (error: object, contract: LoadContract) =>
  Effect.promise(async (): Promise<Explained | undefined> => {
    const [{ Api }, { contractOf }] = await Promise.all([
      contract(),
      import("../http/contract/reflection.ts")
    ])
    const row = contractOf(Api).failureRows.get(error.constructor)
    return row === undefined
      ? undefined
      : {
          exitCode: row.status === 400 ? exitCodes.usage : exitCodes.refused,
          sentence: row.sentence(error)
        }
  })

const fault = (cause: Cause.Cause<unknown>): Explained => ({
  exitCode: exitCodes.fault,
  sentence: "This is a bug in doorlock.",
  details: redact(Cause.pretty(cause, { renderErrorCause: true }))
})

export const explain = (cause: Cause.Cause<unknown>, contract: LoadContract): Effect.Effect<Explained> =>
  Effect.gen(function* () {
    if (Cause.isInterruptedOnly(cause)) return { exitCode: exitCodes.interrupted, sentence: "Interrupted." }
    const error = Cause.squash(cause)
    if (ValidationError.isValidationError(error)) {
      return { exitCode: exitCodes.usage, sentence: oneLine(HelpDoc.toAnsiText(error.error)) }
    }
    if (error instanceof CommandFailed) return { exitCode: error.exitCode, sentence: error.message }
    if (error instanceof Answered) return { exitCode: error.exitCode, sentence: undefined }
    if (error instanceof SqlError) {
      const reason = error.cause instanceof Error ? error.cause.message : String(error.cause)
      return {
        exitCode: exitCodes.unavailable,
        sentence: `The database failed: ${redact(oneLine(reason))}.`
      }
    }
    if (Cause.isDie(cause) || !isTagged(error)) return fault(cause)
    const exitCode = codeOf[error._tag]
    if (exitCode !== undefined) return { exitCode, sentence: error.message }
    return (yield* byContract(error, contract)) ?? fault(cause)
  })
