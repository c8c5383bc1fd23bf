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
import { arrange, group, has } from "./cli/command.ts"
import { company } from "./cli/company.ts"
import { doctor } from "./cli/doctor.ts"
import { help } from "./cli/help.ts"
import { instance } from "./cli/instance.ts"
import { key } from "./cli/key.ts"
import { migrate } from "./cli/migrate.ts"
import { openapi } from "./cli/openapi.ts"
import { Reader } from "./cli/output.ts"
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
  openapi
])

const parse = Command.run(doorlock, { name, version })([runtime, script, ...arrange(words)]).pipe(
  Effect.provide(
    Layer.mergeAll(
      BunFileSystem.layer,
      BunPath.layer,
      BunTerminal.layer,
      CliConfig.layer({ showBuiltIns: false, isCaseSensitive: true })
    )
  )
)

const asksForHelp = words.length === 0 || has(words, "--help") || has(words, "-h")

run(
  asksForHelp
    ? Effect.flatMap(Reader, (reader) => answerText(help(doorlock, words, reader.paint), reader))
    : parse,
  has(words, "--json")
)
