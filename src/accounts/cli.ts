import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import { Effect, Redacted } from "effect"
import { command, fields, group, listing } from "../cli/command.ts"
import { refused } from "../cli/failures.ts"
import { checked, onDatabase, operatorName } from "../cli/on-database.ts"
import { oneLine } from "../cli/output.ts"
import { actingFor, companyFrom, companyOption, idFrom, onlyCompany } from "./company-cli.ts"
import { type GivenPassword, passwordFrom, passwordOptions } from "./password-cli.ts"

const onAccounts = onDatabase(() => import("./cli-layer.ts"))

const createCompany = command(
  "create",
  "Create a company without users.",
  { name: Args.text({ name: "name" }).pipe(Args.withDescription("The company's name.")) },
  ({ name }) =>
    Effect.gen(function* () {
      const { CompanyName } = yield* Effect.promise(() => import("./api.ts"))
      const companyName = yield* checked(CompanyName, name)
      const company = yield* onAccounts(({ createCompany }) => createCompany(operatorName(), companyName))
      return { value: { company }, words: fields({ company: company.name, id: company.id }) }
    })
)

const listCompanies = command("list", "List all companies, oldest first.", {}, () =>
  Effect.map(
    onAccounts(({ companies }) => companies),
    (companies) => ({
      value: { companies },
      words: listing(
        companies,
        "There is no company yet. Create one with company create.",
        ["NAME", "USERS", "CREATED", "ID"],
        ({ created_at, id, name, users }) => [oneLine(name), String(users), created_at.toISOString(), id]
      )
    })
  )
)

const email = Args.text({ name: "email" }).pipe(
  Args.withDescription("The email address with which the user signs in.")
)

const role = Options.choice("role", ["owner", "member", "reviewer", "viewer"]).pipe(
  Options.withDescription(
    "Owners may do everything. Members may do everything except manage users and read the audit trail. Reviewers may only see KYC sessions and decide on them. Viewers may only read."
  )
)

const shown = ({ generated, password }: GivenPassword) =>
  generated ? { password: Redacted.value(password) } : {}

const checkedPassword = (given: GivenPassword) =>
  Effect.flatMap(
    Effect.promise(() => import("./api.ts")),
    ({ NewPassword }) => checked(NewPassword, Redacted.value(given.password))
  )

const createUser = command(
  "create",
  "Create a user of a company. Prompts for the password unless an option supplies it.",
  { email, company: companyOption, role, password: passwordOptions },
  (given) =>
    Effect.gen(function* () {
      const { Email } = yield* Effect.promise(() => import("./api.ts"))
      const address = yield* checked(Email, given.email)
      const password = yield* passwordFrom(given.password)
      yield* checkedPassword(password)
      const { company, user } = yield* onAccounts(({ createUser }) =>
        Effect.gen(function* () {
          const company = yield* companyFrom(given.company)
          const request = { email: address, role: given.role, password: password.password }
          return { company, user: yield* createUser(actingFor(company), request) }
        })
      )
      return {
        value: { user, company, ...shown(password) },
        words: fields({
          user: user.email,
          role: user.role,
          company: company.name,
          id: user.id,
          ...shown(password)
        })
      }
    })
)

const changePassword = command(
  "password",
  "Change a user's password, and end all their sessions.",
  { email, password: passwordOptions },
  (given) =>
    Effect.gen(function* () {
      const password = yield* passwordFrom(given.password)
      yield* checkedPassword(password)
      const { account, endedSessions } = yield* onAccounts(({ resetPassword }) =>
        resetPassword(operatorName(), given.email, password.password)
      ).pipe(Effect.catchTag("UserNotFound", () => Effect.fail(refused("No user has this email address."))))
      return {
        value: { user: account.user, endedSessions, ...shown(password) },
        words: fields({
          user: account.user.email,
          company: account.company.name,
          "ended sessions": String(endedSessions),
          ...shown(password)
        })
      }
    })
)

const listUsers = command(
  "list",
  "List the users of all companies, or of one.",
  { company: onlyCompany },
  (given) =>
    Effect.map(
      onAccounts(({ users }) => Effect.flatMap(idFrom(given.company), users)),
      (users) => ({
        value: { users },
        words: listing(
          users,
          "There are no users.",
          ["EMAIL", "ROLE", "COMPANY", "CREATED", "ID"],
          ({ company, created_at, email, id, role }) => [
            oneLine(email),
            role,
            oneLine(company.name),
            created_at.toISOString(),
            id
          ]
        )
      })
    )
)

export const accounts = {
  commands: [
    group("company", "Companies.", [createCompany, listCompanies]),
    group("user", "Users of companies.", [createUser, listUsers, changePassword])
  ]
}
