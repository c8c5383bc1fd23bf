import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Option, Schema } from "effect"
import { orDie, rowCount, rows } from "../db/sql.ts"
import type { EmailTaken } from "./errors.ts"
import { Company } from "./model.ts"
import { AccountRow, accountOf, type NewUser, userInsert } from "./repo.ts"

const CompanyRow = Schema.Struct({
  ...Company.fields,
  users: Schema.Number,
  created_at: Schema.DateFromSelf
})

const UserRow = Schema.Struct({ ...AccountRow.fields, created_at: Schema.DateFromSelf })

/** The operator's queries on companies and users, in Postgres. */
export class AdministrationRepo extends Effect.Service<AdministrationRepo>()("AdministrationRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeCompanies = rows(Company)
    const decodeListedCompanies = rows(CompanyRow)
    const decodeListedUsers = rows(UserRow)
    const insertUser = userInsert(sql)

    return {
      /** The companies with this id or name; without either, all companies. In order of creation. */
      findCompanies: ({ id, name }: Partial<Record<"id" | "name", string | undefined>>, limit: number) =>
        decodeCompanies(sql`
          select id, name from companies
          ${id !== undefined ? sql`where id = ${id}` : name !== undefined ? sql`where name = ${name}` : sql``}
          order by created_at, id limit ${limit}`),

      /** In order of creation. */
      companies: decodeListedCompanies(sql`
          select c.id, c.name, c.created_at, (select count(*)::int from users u where u.company_id = c.id) as users
          from companies c order by c.created_at, c.id`),

      /** The users of one company, or of all, by the creation of the company, then of the user. */
      users: (companyId: string | undefined) =>
        Effect.map(
          decodeListedUsers(sql`
            select u.id, u.email, u.role, u.created_at, c.id as company_id, c.name as company_name
            from users u join companies c on c.id = u.company_id
            ${companyId === undefined ? sql`` : sql`where c.id = ${companyId}`}
            order by c.created_at, c.id, u.created_at, u.id`),
          (found) =>
            found.map((row) => {
              const { company, user } = accountOf(row)
              return { ...user, company, created_at: row.created_at }
            })
        ),

      insertCompany: (company: Company): Effect.Effect<void> =>
        Effect.asVoid(orDie(sql`insert into companies (id, name) values (${company.id}, ${company.name})`)),

      insertUser: (account: NewUser, passwordHash: string): Effect.Effect<void, EmailTaken> =>
        Effect.asVoid(orDie(insertUser(account, passwordHash))),

      /**
       * For a transaction. Returns how many sessions it ended; none if there is no such user. A second
       * statement ends them, so that it sees one that began while the first statement waited for it.
       */
      resetPassword: (userId: string, passwordHash: string) =>
        Effect.gen(function* () {
          const changed = yield* rowCount(
            sql`update users set password_hash = ${passwordHash} where id = ${userId} returning id`
          )
          if (changed === 0) return Option.none()
          return Option.some(
            yield* rowCount(sql`delete from dashboard_sessions where user_id = ${userId} returning id`)
          )
        })
    }
  })
}) {}
