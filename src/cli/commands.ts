import { group } from "./command.ts"
import type { CommandLine } from "./contribution.ts"
import { doctor } from "./doctor.ts"
import { migrate } from "./migrate.ts"
import { openapi } from "./openapi.ts"

/** All commands, below the word or words that call the program. */
export const commandsOf = (program: string, { contract, features }: CommandLine) =>
  group(program, "Runs doorlock: its database, companies, users, keys and APIs.", [
    doctor(features),
    migrate,
    ...features.flatMap(({ commands = [] }) => commands),
    openapi(contract)
  ])
