import * as Args from "@effect/cli/Args"
import * as Effect from "effect/Effect"
import { command, fields, group } from "./command.ts"
import { checked, onDatabase, operatorName } from "./on-database.ts"

const create = command(
  "create",
  "Make a company. It has no users yet.",
  { name: Args.text({ name: "name" }).pipe(Args.withDescription("What the company is called.")) },
  ({ name }) =>
    Effect.gen(function* () {
      const { CompanyName } = yield* Effect.promise(() => import("../accounts/api.ts"))
      const companyName = yield* checked(CompanyName, name)
      const company = yield* onDatabase(({ Administration }) =>
        Effect.flatMap(Administration, ({ createCompany }) => createCompany(operatorName(), companyName))
      )
      return { value: { company }, words: fields({ company: company.name, id: company.id }) }
    })
)

export const company = group("company", "Companies.", [create])
