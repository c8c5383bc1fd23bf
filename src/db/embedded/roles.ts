import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Client } from "pg"
import { hkdfSha256 } from "../../secrets/digest.ts"
import { connect, toError } from "../connection.ts"
import { EmbeddedPostgresError } from "./error.ts"

/**
 * The cluster's roles. The administrator is its superuser and makes the others; the owner has the database and all that is in it, and
 * migrates it; the service owns nothing, and has the rights of `db/rights`.
 */
export const roles = {
  // It was the only one once, and has that name still: a cluster's first role stays its superuser.
  administrator: "doorlock",
  owner: "doorlock_owner",
  service: "doorlock_service"
} as const

const database = "doorlock"

/** The database that a new cluster has, and that earlier versions used. */
const firstDatabase = "postgres"

/** How the embedded database is reached, while its server runs. */
export interface EmbeddedAccess {
  /** As the role of the service. */
  readonly url: Redacted.Redacted
  readonly migrator: {
    /** As the owner. */
    readonly url: Redacted.Redacted
    readonly grantee: string
  }
  /** As the superuser: to make databases and roles. The service never uses it. */
  readonly adminUrl: Redacted.Redacted
}

/** The passwords of the other roles derive from the administrator's, so that there is one file, and nobody can go back from them to it. */
const passwordOf = (role: string, password: string): string =>
  role === roles.administrator
    ? password
    : Buffer.from(hkdfSha256(password, "doorlock", `database role ${role}`)).toString("base64url")

const urlOf = (role: string, password: string, port: number, name: string = database) =>
  Redacted.make(`postgres://${role}:${passwordOf(role, password)}@127.0.0.1:${port}/${name}`)

/** @param password the administrator's */
export const accessOf = (password: string, port: number): EmbeddedAccess => ({
  url: urlOf(roles.service, password, port),
  migrator: { url: urlOf(roles.owner, password, port), grantee: roles.service },
  adminUrl: urlOf(roles.administrator, password, port)
})

/** Where commits do not wait, as in tests, these do: a server that is killed must not forget who may connect to it. */
const outlasting = "set synchronous_commit = on;"

/**
 * Makes the two lesser roles, and gives the owner the database and whatever migrations of earlier versions, which the superuser
 * applied, have made in it: tables and functions. One transaction.
 *
 * The passwords have 192 random bits and more, which nobody can guess: to stretch them would only make each connection slower.
 */
const rolesText = (password: string): string => `
begin;
${outlasting}
-- The log is not to have the passwords, should this fail.
set local log_min_error_statement = 'panic';
set local scram_iterations = 1;
do $$ begin
  if to_regrole('${roles.owner}') is null then create role ${roles.owner}; end if;
  if to_regrole('${roles.service}') is null then create role ${roles.service}; end if;
end $$;
${Object.values(roles)
  .map((role) => `alter role ${role} login password '${passwordOf(role, password)}';`)
  .join("\n")}
alter database ${firstDatabase} owner to ${roles.owner};
-- Not even a temporary table or function: what owns nothing can put no trigger or function of its own in the way.
revoke all on database ${firstDatabase}, template1 from public;
grant connect on database ${firstDatabase} to ${roles.service};
do $$
declare
  change text;
begin
  for change in
    select format('alter table %s owner to ${roles.owner}', oid::regclass) from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relowner = current_user::regrole
    union all
    select format('alter function %s owner to ${roles.owner}', oid::regprocedure) from pg_proc
    where pronamespace = 'public'::regnamespace and prokind = 'f' and proowner = current_user::regrole
  loop
    execute change;
  end loop;
end $$;
commit`

/** The last step. */
const nameText = `${outlasting} alter database ${firstDatabase} rename to ${database}`

/** Finds a row where the last step is done, and so all before it. A database of that name that is somebody else's is none. */
const doneText = `select from pg_database where datname = '${database}' and datdba = to_regrole('${roles.owner}')`

/**
 * Brings the cluster to the roles above, a new one and one of an earlier version alike: in two transactions, of which the second tells
 * that the first is done. Whoever is killed in between does both again at the next start.
 */
export const ensureRoles = (
  dataDir: string,
  password: string,
  port: number
): Effect.Effect<void, EmbeddedPostgresError> => {
  const as = (name: string) => connect(urlOf(roles.administrator, password, port, name))
  const query = (client: Client, text: string) =>
    Effect.tryPromise({ try: () => client.query(text), catch: toError })
  return Effect.gen(function* () {
    const client = yield* as("template1")
    const { rowCount } = yield* query(client, doneText)
    if (rowCount === 1) return
    yield* Effect.scoped(Effect.flatMap(as(firstDatabase), (inside) => query(inside, rolesText(password))))
    yield* query(client, nameText)
  }).pipe(
    Effect.scoped,
    Effect.mapError(
      (cause) =>
        new EmbeddedPostgresError({
          message: `The roles of the database in DATA_DIR ${dataDir} cannot be made: ${cause.message}.`,
          cause
        })
    )
  )
}
