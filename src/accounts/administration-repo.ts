import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Option, Schema } from "effect"
import { failsOn, orDie, row, rows } from "../db/sql.ts"
import { EmailTaken } from "./errors.ts"
import { type Account, Company, Role, type User } from "./model.ts"

const AccountRow = Schema.Struct({
  id: Schema.String,
  email: Schema.String,
  role: Role,
  company_id: Schema.String,
  company_name: Schema.String
})

/** A company, as listed for the operator. */
const ListedCompany = Schema.Struct({
  ...Company.fields,
  users: Schema.Number,
  created_at: Schema.DateFromSelf
})
export type ListedCompany = typeof ListedCompany.Type

const ListedUserRow = Schema.Struct({ ...AccountRow.fields, created_at: Schema.DateFromSelf })

/** A user, as listed for the operator. */
export interface ListedUser extends User {
  readonly company: Company
  readonly created_at: Date
}

/** The operator's queries on companies and users, in Postgres. */
export class AdministrationRepo extends Effect.Service<AdministrationRepo>()("AdministrationRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeCompanies = rows(Company)
    const decodeAccount = row(AccountRow)
    const decodeListedCompanies = rows(ListedCompany)
    const decodeListedUsers = rows(ListedUserRow)
    const decodeIds = rows(Schema.Struct({ id: Schema.String }))

    return {
      findCompany: (id: string) => decodeCompanies(sql`select id, name from companies where id = ${id}`),

      /** In order of creation. */
      companiesNamed: (name: string, limit: number) =>
        decodeCompanies(
          sql`select id, name from companies where name = ${name} order by created_at, id limit ${limit}`
        ),

      /** In order of creation. */
      companies: (limit: number) =>
        decodeCompanies(sql`select id, name from companies order by created_at, id limit ${limit}`),

      /** All companies, in order of creation. */
      listCompanies: () =>
        decodeListedCompanies(sql`
          select c.id, c.name, c.created_at, (select count(*)::int from users u where u.company_id = c.id) as users
          from companies c order by c.created_at, c.id`),

      /** The users of one company, or of all. Ordered by their company, then by their own creation. */
      listUsers: (companyId: string | undefined): Effect.Effect<ReadonlyArray<ListedUser>> =>
        Effect.map(
          decodeListedUsers(sql`
            select u.id, u.email, u.role, u.created_at, c.id as company_id, c.name as company_name
            from users u join companies c on c.id = u.company_id
            ${companyId === undefined ? sql`` : sql`where c.id = ${companyId}`}
            order by c.created_at, c.id, u.created_at, u.id`),
          (found) =>
            found.map(({ company_id, company_name, ...user }) => ({
              ...user,
              company: { id: company_id, name: company_name }
            }))
        ),

      insertCompany: (company: Company): Effect.Effect<void> =>
        Effect.asVoid(orDie(sql`insert into companies (id, name) values (${company.id}, ${company.name})`)),

      insertUser: (companyId: string, user: User, passwordHash: string): Effect.Effect<void, EmailTaken> =>
        sql`
          insert into users (id, company_id, email, password_hash, role)
          values (${user.id}, ${companyId}, ${user.email}, ${passwordHash}, ${user.role})`.pipe(
          failsOn("users_email_key", () => new EmailTaken()),
          orDie,
          Effect.asVoid
        ),

      findAccount: (email: string) =>
        Effect.map(
          decodeAccount(sql`
            select u.id, u.email, u.role, c.id as company_id, c.name as company_name
            from users u join companies c on c.id = u.company_id where u.email = ${email}`),
          Option.map(
            ({ company_id, company_name, ...user }): Account => ({
              user,
              company: { id: company_id, name: company_name }
            })
          )
        ),

      /**
       * Sets the user's password, ends all their sessions and returns how many it ended; none if there is no such user. Run it in a
       * transaction: a second statement ends the sessions, so it also sees one that began while the first statement waited for it.
       */
      resetPassword: (userId: string, passwordHash: string) =>
        Effect.gen(function* () {
          const changed = yield* decodeIds(
            sql`update users set password_hash = ${passwordHash} where id = ${userId} returning id`
          )
          if (changed.length === 0) return Option.none()
          const ended = yield* decodeIds(
            sql`delete from dashboard_sessions where user_id = ${userId} returning id`
          )
          return Option.some(ended.length)
        })
    }
  })
}) {}
