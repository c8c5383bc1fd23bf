import { group } from "./command.ts"
import type { CommandLine } from "./contribution.ts"
import { doctor } from "./doctor.ts"
import { migrate } from "./migrate.ts"
import { openapi } from "./openapi.ts"

/** `program`: the word or words that call it. */
export const commandsOf = (program: string, { contract, features }: CommandLine) =>
  group(program, "Runs doorlock: its database, companies, users, keys and APIs.", [
    doctor(features),
    migrate,
    ...features.flatMap(({ commands = [] }) => commands),
    openapi(contract)
  ])
