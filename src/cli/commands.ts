import { api } from "./api.ts"
import { audit } from "./audit.ts"
import { group } from "./command.ts"
import { company } from "./company.ts"
import { doctor } from "./doctor.ts"
import { instance } from "./instance.ts"
import { key } from "./key.ts"
import { migrate } from "./migrate.ts"
import { openapi } from "./openapi.ts"
import { publish } from "./publish.ts"
import { session } from "./session.ts"
import { user } from "./user.ts"

/** All commands, below the word or words by which the program is called. */
export const commandsOf = (program: string) =>
  group(program, "Runs doorlock: its database, companies, users, keys and APIs.", [
    doctor,
    migrate,
    company,
    user,
    key,
    instance,
    session,
    publish,
    api,
    audit,
    openapi
  ])
