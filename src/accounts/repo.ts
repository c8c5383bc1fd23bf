import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { failsOn, orDie, row, transaction } from "../db/sql.ts"
import { EmailTaken } from "./errors.ts"
import { type Account, Role } from "./model.ts"

/** Days a session lives at most, and how many of them it survives unused. */
export const sessionDays = { life: 30, idle: 7 } as const

const AccountRow = Schema.Struct({
  id: Schema.String,
  email: Schema.String,
  role: Role,
  company_id: Schema.String,
  company_name: Schema.String
})

const LoginRow = Schema.Struct({ ...AccountRow.fields, password_hash: Schema.String })

const account = (found: typeof AccountRow.Type): Account => ({
  user: { id: found.id, email: found.email, role: found.role },
  company: { id: found.company_id, name: found.company_name }
})

interface NewAccount {
  readonly account: Account
  readonly passwordHash: string
}

/** Companies, users and dashboard sessions in Postgres. */
export class AccountRepo extends Effect.Service<AccountRepo>()("AccountRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeAccount = row(AccountRow)
    const decodeLogin = row(LoginRow)
    const decodeAny = row(Schema.Struct({ found: Schema.Boolean }))

    const insertSession = (tokenHash: Uint8Array, userId: string) => sql`
      insert into dashboard_sessions (token_hash, user_id, expires_at)
      values (${tokenHash}, ${userId}, now() + make_interval(days => ${sessionDays.life}))`

    return {
      /** A company and its first user, both or neither; with a session when there is a token for one. */
      insert: (added: NewAccount, tokenHash?: Uint8Array): Effect.Effect<void, EmailTaken> => {
        const { company, user } = added.account
        const insertUser = sql`
          insert into users (id, company_id, email, password_hash, role)
          values (${user.id}, ${company.id}, ${user.email}, ${added.passwordHash}, ${user.role})`.pipe(
          failsOn("users_email_key", () => new EmailTaken())
        )
        return sql`insert into companies (id, name) values (${company.id}, ${company.name})`.pipe(
          Effect.zipRight(insertUser),
          Effect.zipRight(
            tokenHash === undefined ? Effect.void : Effect.asVoid(insertSession(tokenHash, user.id))
          ),
          transaction(sql)
        )
      },

      findLogin: (email: string) =>
        Effect.map(
          decodeLogin(sql`
            select u.id, u.email, u.role, u.password_hash, c.id as company_id, c.name as company_name
            from users u join companies c on c.id = u.company_id
            where u.email = ${email}`),
          Option.map((found) => ({ account: account(found), passwordHash: found.password_hash }))
        ),

      insertSession: (tokenHash: Uint8Array, userId: string) =>
        Effect.asVoid(orDie(insertSession(tokenHash, userId))),

      /** The account of a live session, which is kept alive by being asked for; written once a minute. */
      findSession: (tokenHash: Uint8Array) =>
        Effect.map(
          decodeAccount(sql`
            with live as (
              select user_id, last_seen_at from dashboard_sessions
              where token_hash = ${tokenHash} and expires_at > now()
                and last_seen_at > now() - make_interval(days => ${sessionDays.idle})
            ), seen as (
              update dashboard_sessions set last_seen_at = now()
              where token_hash = ${tokenHash}
                and exists (select from live where last_seen_at < now() - interval '1 minute')
            )
            select u.id, u.email, u.role, c.id as company_id, c.name as company_name
            from live join users u on u.id = live.user_id join companies c on c.id = u.company_id`),
          Option.map(account)
        ),

      deleteSession: (tokenHash: Uint8Array) =>
        Effect.asVoid(orDie(sql`delete from dashboard_sessions where token_hash = ${tokenHash}`)),

      /** Sessions that no credential can open any more. */
      deleteExpiredSessions: Effect.asVoid(
        orDie(sql`
          delete from dashboard_sessions where expires_at < now()
            or last_seen_at < now() - make_interval(days => ${sessionDays.idle})`)
      ),

      anyCompany: Effect.map(
        decodeAny(sql`select exists (select from companies) as found`),
        Option.match({ onNone: () => false, onSome: ({ found }) => found })
      )
    }
  })
}) {}
