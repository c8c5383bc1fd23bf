/** `bun cli` with the timeouts of tests. */
import { Effect } from "effect"
import { main } from "../../src/cli/main.ts"
import { commandLine } from "../../src/command-line.ts"
import { patient } from "./run/timeouts.ts"

main(commandLine, Effect.provide(patient))
