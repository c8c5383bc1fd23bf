import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Option, Schema } from "effect"
import { failsOn, onlyRow, orDie, row, rowCount, rows, transaction } from "../db/sql.ts"
import { EmailTaken } from "./errors.ts"
import {
  type Account,
  type Company,
  DashboardSessionInfo,
  mostSessions,
  type NewSession,
  type Renewal,
  sessionDays,
  User
} from "./model.ts"

export const AccountRow = Schema.Struct({
  ...User.fields,
  company_id: Schema.String,
  company_name: Schema.String
})

const LoginRow = Schema.Struct({ ...AccountRow.fields, password_hash: Schema.String })

const SessionRow = Schema.Struct({
  ...AccountRow.fields,
  session_id: Schema.String,
  /** Whether the last recorded use is more than a minute old. */
  unseen: Schema.Boolean
})

export const accountOf = (found: typeof AccountRow.Type): Account => ({
  user: { id: found.id, email: found.email, role: found.role },
  company: { id: found.company_id, name: found.company_name }
})

export interface NewUser {
  readonly user: User
  readonly company: Pick<Company, "id">
}

export const userInsert =
  (sql: SqlClient.SqlClient) =>
  ({ company, user }: NewUser, passwordHash: string) =>
    sql`
      insert into users (id, company_id, email, password_hash, role)
      values (${user.id}, ${company.id}, ${user.email}, ${passwordHash}, ${user.role})`.pipe(
      failsOn("users_email_key", () => new EmailTaken())
    )

export const sessionInsert =
  (sql: SqlClient.SqlClient) =>
  ({ tokenHash, userAgent }: NewSession, userId: string) =>
    sql`
    insert into dashboard_sessions (token_hash, user_id, user_agent, expires_at)
    values (${tokenHash}, ${userId}, ${userAgent}, now() + make_interval(days => ${sessionDays.life}))`

/** Companies, users and dashboard sessions in Postgres. */
export class AccountRepo extends Effect.Service<AccountRepo>()("AccountRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeSession = row(SessionRow)
    const decodeSessions = rows(Schema.typeSchema(DashboardSessionInfo))
    const decodeBegun = row(
      Schema.Struct({ id: Schema.String, replaced: Schema.Boolean, ended: Schema.Number })
    )
    const decodeHash = row(Schema.Struct({ password_hash: Schema.String }))
    const decodeLogin = row(LoginRow)
    const decodeAny = onlyRow(Schema.Struct({ found: Schema.Boolean }))

    const insertUser = userInsert(sql)
    const insertSession = sessionInsert(sql)

    const live = sql.literal(
      `expires_at > now() and last_seen_at > now() - make_interval(days => ${sessionDays.idle})`
    )

    /** Returns how many sessions it ended. */
    const endOtherSessions = (userId: string, currentId: string) =>
      rowCount(sql`
        delete from dashboard_sessions where user_id = ${userId} and id <> ${currentId} returning id`)

    return {
      /** For a transaction. A company and its first user, with a session if one is given. */
      insert: (account: Account, passwordHash: string, session?: NewSession) =>
        sql`insert into companies (id, name) values (${account.company.id}, ${account.company.name})`.pipe(
          Effect.zipRight(insertUser(account, passwordHash)),
          Effect.zipRight(
            session === undefined ? Effect.void : Effect.asVoid(insertSession(session, account.user.id))
          ),
          orDie
        ),

      findLogin: (email: string) =>
        Effect.map(
          decodeLogin(sql`
            select u.id, u.email, u.role, u.password_hash, c.id as company_id, c.name as company_name
            from users u join companies c on c.id = u.company_id
            where u.email = ${email}`),
          Option.map((found) => ({ account: accountOf(found), passwordHash: found.password_hash }))
        ),

      /**
       * Begins a session, and replaces the browser's previous one. `ended`: how many other sessions it ended,
       * of which the user keeps the 99 used last. Returns none if the password has changed: a row lock makes
       * sign-in and change wait for each other. Skips sessions that another statement is ending, since many
       * sign-ins may run at once.
       */
      renewSession: ({ replacedHash, tokenHash, userAgent }: Renewal, userId: string, passwordHash: string) =>
        decodeBegun(sql`
          with begun as (
            insert into dashboard_sessions (token_hash, user_id, user_agent, expires_at)
            select ${tokenHash}, id, ${userAgent}, now() + make_interval(days => ${sessionDays.life})
            from users where id = ${userId} and password_hash = ${passwordHash} for share
            returning id
          ), ended as (
            delete from dashboard_sessions
            where user_id = ${userId} and exists (select from begun) and (
              token_hash = ${replacedHash ?? null} or id in (
                select id from dashboard_sessions where id in (
                  select id from dashboard_sessions
                  where user_id = ${userId} and token_hash is distinct from ${replacedHash ?? null}
                  order by last_seen_at desc, id desc offset ${mostSessions - 1}
                ) for update skip locked
              )
            )
            returning token_hash is not distinct from ${replacedHash ?? null} as replaced
          )
          select id, exists (select from ended where replaced) as replaced,
            (select count(*)::int from ended where not replaced) as ended
          from begun`),

      /** Writes nothing, so it also works on a read-only database. */
      findSession: (tokenHash: Uint8Array) =>
        Effect.map(
          decodeSession(sql`
            with live as (
              select id, user_id, last_seen_at < now() - interval '1 minute' as unseen from dashboard_sessions
              where token_hash = ${tokenHash} and ${live}
            )
            select u.id, u.email, u.role, c.id as company_id, c.name as company_name, live.id as session_id, live.unseen
            from live join users u on u.id = live.user_id join companies c on c.id = u.company_id`),
          Option.map((found) => ({ ...accountOf(found), sessionId: found.session_id, unseen: found.unseen }))
        ),

      /**
       * Records a session at most once a minute across all processes, which do not wait for each other. A
       * transaction has its own connection, so no other statement queues behind a write that hangs.
       */
      markSeen: (ids: ReadonlyArray<string>): Effect.Effect<void> =>
        sql`
          update dashboard_sessions set last_seen_at = now() where id in (
            select id from dashboard_sessions
            where id = any(${ids}::uuid[]) and last_seen_at < now() - interval '1 minute'
            for no key update skip locked
          )`.pipe(Effect.asVoid, orDie, transaction(sql)),

      /** Most recently used first. */
      listSessions: (userId: string, currentId: string) =>
        decodeSessions(sql`
          select id, id = ${currentId} as current, user_agent, created_at, last_seen_at, expires_at
          from dashboard_sessions where user_id = ${userId} and ${live}
          order by last_seen_at desc, id desc limit ${mostSessions}`),

      /** Returns false if the user has no such session. */
      endSession: (userId: string, id: string) =>
        Effect.map(
          rowCount(sql`delete from dashboard_sessions where user_id = ${userId} and id = ${id} returning id`),
          (ended) => ended > 0
        ),

      endOtherSessions,

      findPasswordHash: (userId: string) =>
        Effect.map(
          decodeHash(sql`select password_hash from users where id = ${userId}`),
          Option.map(({ password_hash }) => password_hash)
        ),

      /**
       * For a transaction. Returns how many other sessions it ended; none if `previousHash` is outdated. A second statement ends
       * them, so that it sees one that began while the first statement waited for it.
       */
      changePassword: (userId: string, currentId: string, previousHash: string, nextHash: string) =>
        Effect.gen(function* () {
          const changed = yield* rowCount(sql`
            update users set password_hash = ${nextHash}
            where id = ${userId} and password_hash = ${previousHash} returning id`)
          return changed === 0 ? Option.none() : Option.some(yield* endOtherSessions(userId, currentId))
        }),

      deleteExpiredSessions: Effect.asVoid(
        orDie(sql`
          delete from dashboard_sessions where expires_at < now()
            or last_seen_at < now() - make_interval(days => ${sessionDays.idle})`)
      ),

      anyCompany: Effect.map(
        decodeAny(sql`select exists (select from companies) as found`),
        ({ found }) => found
      )
    }
  })
}) {}
