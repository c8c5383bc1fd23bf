/** The `--company` option. */
import * as Options from "@effect/cli/Options"
import { Effect, Option } from "effect"
import { type Actor, operator } from "../audit/model.ts"
import { option } from "../cli/command.ts"
import { misused, refused } from "../cli/failures.ts"
import { operatorName } from "../cli/on-database.ts"
import { oneLine } from "../cli/output.ts"
import type { CompanyAmbiguous } from "./errors.ts"
import type { Company } from "./model.ts"

const optionFor = (description: string) =>
  option("company", "id|name", description).pipe(Options.optional, Options.map(Option.getOrUndefined))

export const companyOption = optionFor("The company, by id or name; not needed if there is only one.")

export const onlyCompany = optionFor("Only this company, by id or name. Default: all.")

export const actingFor = ({ id }: Company): Actor => operator(id, operatorName())

const ambiguous = ({ companies, named }: CompanyAmbiguous) => {
  const which = companies.map(({ id, name }) => `${id} (${oneLine(name)})`).join(", ")
  return misused(
    named === undefined
      ? `There are several companies. Choose one with --company: ${which}.`
      : `Several companies have this name. Choose one by its id: ${which}.`
  )
}

/** The company that `--company` names, or the only one. */
export const companyFrom = (named: string | undefined) =>
  Effect.promise(() => import("./administration-service.ts")).pipe(
    Effect.flatMap(({ Administration }) => Administration),
    Effect.flatMap(({ company }) => company(named)),
    Effect.catchTags({
      CompanyNotFound: () => Effect.fail(refused(`There is no company ${oneLine(named ?? "")}.`)),
      CompanyAmbiguous: (error) => Effect.fail(ambiguous(error)),
      NoCompany: () => Effect.fail(refused("There is no company yet. Create one with company create."))
    })
  )

/** The id of the company that `--company` names; undefined without the option. */
export const idFrom = (named: string | undefined) =>
  named === undefined
    ? Effect.succeed(undefined)
    : Effect.map(companyFrom(named), ({ id }): string | undefined => id)
