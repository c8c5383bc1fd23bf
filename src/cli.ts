/** `bun cli`, the command line for operators. */
import { main } from "./cli/main.ts"
import { commandLine } from "./command-line.ts"

main(commandLine)
