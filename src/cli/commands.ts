import { user } from "../accounts/cli.ts"
import { company } from "../accounts/companies-cli.ts"
import { audit } from "../audit/cli.ts"
import { key } from "../keys/cli.ts"
import { instance } from "../kyc/instances/cli.ts"
import { session } from "../kyc/sessions/cli.ts"
import { publish } from "../marketplace/catalog/publish-cli.ts"
import { api } from "../marketplace/catalog/takedown-cli.ts"
import { group } from "./command.ts"
import { doctor } from "./doctor.ts"
import { migrate } from "./migrate.ts"
import { openapi } from "./openapi.ts"

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
