import { Effect, type Redacted } from "effect"
import { type Actor, operator } from "../audit/model.ts"
import { Audit } from "../audit/service.ts"
import { normalEmail } from "../shared/email.ts"
import { foundOr } from "../shared/found.ts"
import { newId, parseId } from "../shared/identifier.ts"
import { AdministrationRepo } from "./administration-repo.ts"
import { entries } from "./entries-model.ts"
import { CompanyAmbiguous, CompanyNotFound, type EmailTaken, NoCompany, UserNotFound } from "./errors.ts"
import type { Company, User } from "./model.ts"
import { Passwords } from "./passwords.ts"
import { AccountRepo } from "./repo.ts"

/** How many companies a failure lists. */
const listed = 10

interface UserRequest extends Pick<User, "email" | "role"> {
  readonly password: Redacted.Redacted<string>
}

/** What the operator does with companies and users, beyond sign-up and invitations. */
export class Administration extends Effect.Service<Administration>()("Administration", {
  effect: Effect.gen(function* () {
    const repo = yield* AdministrationRepo
    const accounts = yield* AccountRepo
    const audit = yield* Audit
    const passwords = yield* Passwords

    /** A company by id or unique name; the only company without `named`. */
    const company = Effect.fnUntraced(function* (named: string | undefined) {
      const id = named === undefined ? undefined : parseId(named)
      const found = yield* repo.findCompanies({ id, name: named }, listed)
      const [first, second] = found
      if (second !== undefined) return yield* new CompanyAmbiguous({ named, companies: found })
      if (first !== undefined) return first
      return yield* named === undefined ? new NoCompany() : new CompanyNotFound({ named })
    }) satisfies (
      named: string | undefined
    ) => Effect.Effect<Company, CompanyAmbiguous | CompanyNotFound | NoCompany>

    /** Creates a company without users. */
    const createCompany = (operatorName: string, name: string): Effect.Effect<Company> => {
      const made: Company = { id: newId(), name }
      return Effect.as(repo.insertCompany(made), made).pipe(
        audit.recording(operator(made.id, operatorName), () => [entries.emptyCompanyCreated(made)])
      )
    }

    const createUser = Effect.fnUntraced(function* (by: Actor, request: UserRequest) {
      const user: User = { id: newId(), email: normalEmail(request.email), role: request.role }
      const passwordHash = yield* passwords.hash(request.password)
      yield* repo
        .insertUser({ user, company: { id: by.companyId } }, passwordHash)
        .pipe(audit.recording(by, () => [entries.userCreated(user)]))
      return user
    }) satisfies (by: Actor, request: UserRequest) => Effect.Effect<User, EmailTaken>

    /** Sets the user's password and ends all their sessions. */
    const resetPassword = Effect.fnUntraced(function* (
      operatorName: string,
      email: string,
      password: Redacted.Redacted<string>
    ) {
      const notFound = () => new UserNotFound({ email })
      const { account } = yield* accounts.findLogin(normalEmail(email)).pipe(foundOr(notFound))
      const { company, user } = account
      const endedSessions = yield* repo.resetPassword(user.id, yield* passwords.hash(password)).pipe(
        // Another transaction has removed the user.
        foundOr(notFound),
        audit.recording(operator(company.id, operatorName), (ended) => [entries.passwordReset(user, ended)])
      )
      return { account, endedSessions }
    })

    return {
      companies: repo.companies,
      company,
      createCompany,
      createUser,
      resetPassword,
      users: repo.users
    }
  })
}) {}
