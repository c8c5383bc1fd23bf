import { stripVTControlCharacters } from "node:util"
import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as BunFileSystem from "@effect/platform-bun/BunFileSystem"
import * as BunPath from "@effect/platform-bun/BunPath"
import * as BunTerminal from "@effect/platform-bun/BunTerminal"
import { Console, Effect, Exit, Layer } from "effect"
import { version } from "../../package.json"
import { arrange, emptyOption, group, hasOption, unknownCommand } from "./command.ts"
import type { CommandLine } from "./contribution.ts"
import { doctor } from "./doctor.ts"
import { type Explained, exitCodes, explain, misused } from "./failures.ts"
import { help } from "./help.ts"
import { migrate } from "./migrate.ts"
import { openapi } from "./openapi.ts"
import {
  type Format,
  jsonText,
  logging,
  OutputFormat,
  oneLine,
  outputFormat,
  writeAnswer,
  writeAside
} from "./output.ts"

/** To a program as the answer, to people on standard error. */
const report = ({ details, exitCode, sentence }: Explained, json: boolean) =>
  Effect.gen(function* () {
    if (sentence === undefined) return
    if (json) yield* writeAnswer(jsonText({ error: sentence }))
    else yield* writeAside(`doorlock: ${sentence}\n`)
    if (details !== undefined) yield* writeAside(`${details}\n`)
    if (!json && exitCode === exitCodes.usage) yield* writeAside("Add --help for usage.\n")
  })

const answerText = (text: string, { json }: Format): Effect.Effect<void> =>
  writeAnswer(json ? jsonText({ text: stripVTControlCharacters(text).trimEnd() }) : `${text}\n`)

/** The parser's output is an answer, such as completions. `report` writes its errors. */
const parsersConsole = (format: Format) =>
  Console.consoleWith((standard) =>
    Effect.succeed<Console.Console>({
      ...standard,
      log: (text) => answerText(String(text), format),
      error: () => Effect.void
    })
  )

const parser = Layer.mergeAll(
  BunFileSystem.layer,
  BunPath.layer,
  BunTerminal.layer,
  CliConfig.layer({ showBuiltIns: false, isCaseSensitive: true })
)

/** `program`: the word or words that call it. */
export const commandsOf = (program: string, { contract, features }: CommandLine) =>
  group(program, "Runs doorlock: its database, companies, users, keys and APIs.", [
    doctor(features),
    migrate,
    ...features.flatMap(({ commands = [] }) => commands),
    openapi(contract)
  ])

const called = (commandLine: CommandLine, words: ReadonlyArray<string>, format: Format) =>
  Effect.gen(function* () {
    // A shell completes a single word only.
    const name = hasOption(words, "--completions") ? "doorlock" : "bun cli"
    const doorlock = commandsOf(name, commandLine)
    const arranged = arrange(words)
    if (words.length === 0 || hasOption(words, "--help") || hasOption(words, "-h")) {
      return yield* answerText(help(doorlock, arranged, format.paint), format)
    }
    // The parser's wizard writes its questions to standard output.
    if (hasOption(words, "--wizard"))
      return yield* misused("There is no wizard. --help explains every command.")
    const unknown = unknownCommand(doorlock, arranged)
    if (unknown !== undefined) return yield* misused(oneLine(unknown))
    const empty = emptyOption(words)
    if (empty !== undefined) return yield* misused(oneLine(`${empty} must not be empty.`))
    const console = yield* parsersConsole(format)
    return yield* Command.run(doorlock, { name, version })(["bun", "cli", ...arranged]).pipe(
      Effect.provide(parser),
      Console.withConsole(console)
    )
  })

/**
 * Runs a command line and reports its failure. An interrupted command stops the embedded database first.
 *
 * @param ended called once with the exit code, since an interrupted effect returns no value
 */
export const run = (
  commandLine: CommandLine,
  words: ReadonlyArray<string>,
  ended: (exitCode: number) => void
): Effect.Effect<void> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const json = hasOption(words, "--json")
      const format = yield* outputFormat(json)
      const exit = yield* restore(called(commandLine, words, format)).pipe(
        Effect.provideService(OutputFormat, format),
        Effect.exit
      )
      if (Exit.isSuccess(exit)) return ended(exitCodes.done)
      const explained = yield* explain(exit.cause, commandLine.contract)
      ended(explained.exitCode)
      yield* report(explained, json)
    }).pipe(Effect.provide(Layer.merge(logging, Layer.setTracerEnabled(false))))
  )
