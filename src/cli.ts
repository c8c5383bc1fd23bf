#!/usr/bin/env bun
/** The command line for operators: `bun cli`. */
import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as BunFileSystem from "@effect/platform-bun/BunFileSystem"
import * as BunPath from "@effect/platform-bun/BunPath"
import * as BunTerminal from "@effect/platform-bun/BunTerminal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { version } from "../package.json"
import { audit } from "./cli/audit.ts"
import { arrange, group, has, unknownCommand } from "./cli/command.ts"
import { company } from "./cli/company.ts"
import { doctor } from "./cli/doctor.ts"
import { misused } from "./cli/failures.ts"
import { help } from "./cli/help.ts"
import { instance } from "./cli/instance.ts"
import { key } from "./cli/key.ts"
import { migrate } from "./cli/migrate.ts"
import { openapi } from "./cli/openapi.ts"
import { oneLine, Reader } from "./cli/output.ts"
import { publish } from "./cli/publish.ts"
import { answerText, run } from "./cli/run.ts"
import { user } from "./cli/user.ts"

const [runtime = "", script = "", ...words] = process.argv

// Completions are for a word that a shell can complete; what is typed without an alias are two.
const name = has(words, "--completions") ? "doorlock" : "bun cli"

const doorlock = group(name, "Runs doorlock: its database, companies, users, keys and APIs.", [
  doctor,
  migrate,
  company,
  user,
  key,
  instance,
  publish,
  audit,
  openapi
])

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
  if (unknown !== undefined) return yield* misused(oneLine(unknown))
  return yield* parse
})

run(program, has(words, "--json"))
