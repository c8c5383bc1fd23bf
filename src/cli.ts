/** The command line for operators: `bun cli`. */
import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as BunFileSystem from "@effect/platform-bun/BunFileSystem"
import * as BunPath from "@effect/platform-bun/BunPath"
import * as BunTerminal from "@effect/platform-bun/BunTerminal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { version } from "../package.json"
import { arrange, has, unknownCommand } from "./cli/command.ts"
import { commandsOf } from "./cli/commands.ts"
import { misused } from "./cli/failures.ts"
import { help } from "./cli/help.ts"
import { oneLine, Reader } from "./cli/output.ts"
import { answerText, run } from "./cli/run.ts"

const [runtime = "", script = "", ...words] = process.argv

// Completions are for a word that a shell can complete; what is typed without an alias are two.
const name = has(words, "--completions") ? "doorlock" : "bun cli"

const doorlock = commandsOf(name)
const arranged = arrange(words)
const unknown = unknownCommand(doorlock, arranged)

const parse = Command.run(doorlock, { name, version })([runtime, script, ...arranged]).pipe(
  Effect.provide(
    Layer.mergeAll(
      BunFileSystem.layer,
      BunPath.layer,
      BunTerminal.layer,
      CliConfig.layer({ showBuiltIns: false, isCaseSensitive: true })
    )
  )
)

const program = Effect.gen(function* () {
  const reader = yield* Reader
  if (words.length === 0 || has(words, "--help") || has(words, "-h")) {
    return yield* answerText(help(doorlock, arranged, reader.paint), reader)
  }
  // The parser has one that writes its questions to standard output.
  if (has(words, "--wizard")) return yield* misused("There is no wizard; --help explains every command.")
  if (unknown !== undefined) return yield* misused(oneLine(unknown))
  return yield* parse
})

run(program, has(words, "--json"))
