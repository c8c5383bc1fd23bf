import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { type Actor, operator } from "../audit/model.ts"
import { Audit } from "../audit/service.ts"
import { foundOr } from "../found.ts"
import { newId, parseId } from "../secrets/identifier.ts"
import { normalEmail } from "../shared/email.ts"
import { CompanyAmbiguous, CompanyNotFound, NoCompany, UserNotFound } from "./administration-errors.ts"
import { AdministrationRepo, type ListedCompany, type ListedUser } from "./administration-repo.ts"
import { entries } from "./entries-model.ts"
import type { EmailTaken } from "./errors.ts"
import type { Company, Role, User } from "./model.ts"
import { Passwords } from "./passwords.ts"

/** Companies that a failure lists. */
const listed = 10

interface UserRequest {
  readonly email: string
  readonly role: Role
  readonly password: Redacted.Redacted<string>
}

/** What whoever runs the service does with companies and users, past sign-up and invitations. */
export class Administration extends Effect.Service<Administration>()("Administration", {
  effect: Effect.gen(function* () {
    const repo = yield* AdministrationRepo
    const audit = yield* Audit
    const passwords = yield* Passwords

    /** The company of this id, or of this name where it is the only one; the only one there is when none is named. */
    const company = Effect.fnUntraced(function* (named: string | undefined) {
      const id = named === undefined ? undefined : parseId(named)
      const found =
        named === undefined
          ? yield* repo.companies(listed)
          : id === undefined
            ? yield* repo.companiesNamed(named, listed)
            : yield* repo.findCompany(id)
      const [first, second] = found
      if (second !== undefined) return yield* new CompanyAmbiguous({ named, companies: found })
      if (first !== undefined) return first
      return yield* named === undefined ? new NoCompany() : new CompanyNotFound({ named })
    }) satisfies (
      named: string | undefined
    ) => Effect.Effect<Company, CompanyAmbiguous | CompanyNotFound | NoCompany>

    /** All companies, the oldest first. */
    const companies = (): Effect.Effect<ReadonlyArray<ListedCompany>> => repo.listCompanies()

    /** The users of one company, or of all. */
    const users = (companyId?: string): Effect.Effect<ReadonlyArray<ListedUser>> => repo.listUsers(companyId)

    /** A company without users, made by the operator of that name. */
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
        .insertUser(by.companyId, user, passwordHash)
        .pipe(audit.recording(by, () => [entries.userCreated(user)]))
      return user
    }) satisfies (by: Actor, request: UserRequest) => Effect.Effect<User, EmailTaken>

    /** Gives the user another password, and ends all their sessions; done by the operator of that name. */
    const resetPassword = Effect.fnUntraced(function* (
      operatorName: string,
      email: string,
      password: Redacted.Redacted<string>
    ) {
      const notFound = () => new UserNotFound({ email })
      const account = yield* repo.findAccount(normalEmail(email)).pipe(foundOr(notFound))
      const { company, user } = account
      const endedSessions = yield* repo.resetPassword(user.id, yield* passwords.hash(password)).pipe(
        // Removed meanwhile.
        foundOr(notFound),
        audit.recording(operator(company.id, operatorName), (ended) => [entries.passwordReset(user, ended)])
      )
      return { account, endedSessions }
    })

    return { companies, company, createCompany, createUser, resetPassword, users }
  })
}) {}
