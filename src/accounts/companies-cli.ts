import * as Args from "@effect/cli/Args"
import * as Effect from "effect/Effect"
import { command, fields, group, listing } from "../cli/command.ts"
import { checked, onDatabase, operatorName } from "../cli/on-database.ts"
import { oneLine } from "../cli/output.ts"

const create = command(
  "create",
  "Make a company. It has no users yet.",
  { name: Args.text({ name: "name" }).pipe(Args.withDescription("What the company is called.")) },
  ({ name }) =>
    Effect.gen(function* () {
      const { CompanyName } = yield* Effect.promise(() => import("./api.ts"))
      const companyName = yield* checked(CompanyName, name)
      const company = yield* onDatabase(({ Administration }) =>
        Effect.flatMap(Administration, ({ createCompany }) => createCompany(operatorName(), companyName))
      )
      return { value: { company }, words: fields({ company: company.name, id: company.id }) }
    })
)

const list = command("list", "List all companies, the oldest first.", {}, () =>
  Effect.map(
    onDatabase(({ Administration }) => Effect.flatMap(Administration, ({ companies }) => companies())),
    (companies) => ({
      value: { companies },
      words: listing(
        companies,
        "There is no company yet; the command company create makes one.",
        ["NAME", "USERS", "CREATED", "ID"],
        ({ created_at, id, name, users }) => [oneLine(name), String(users), created_at.toISOString(), id]
      )
    })
  )
)

export const company = group("company", "Companies.", [create, list])
