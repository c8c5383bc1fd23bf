import { Effect, Redacted } from "effect"
import type { Client } from "pg"
import { hkdfSha256 } from "../../secrets/digest.ts"
import { toError } from "../../shared/error.ts"
import { connect } from "../connection.ts"
import type { Migrator } from "../migrations.ts"
import { EmbeddedPostgresError } from "./error.ts"
import { socketPort } from "./socket.ts"

/** The superuser; the database's owner, which migrates; the service, with only the rights of `db/rights`. */
export const roles = {
  // `initdb` creates it. A cluster's first role always stays its superuser.
  administrator: "doorlock",
  owner: "doorlock_owner",
  service: "doorlock_service"
} as const

const database = "doorlock"

/** Created by `initdb`. */
const firstDatabase = "postgres"

export interface EmbeddedAccess {
  /** Connects as the service's role. */
  readonly url: Redacted.Redacted
  readonly migrator: Migrator & { readonly grantee: string }
  /** Connects as the superuser, to create databases and roles; unused by the service. */
  readonly adminUrl: Redacted.Redacted
}

/** Derived irreversibly from the administrator's password, so one password file is enough. */
const passwordOf = (role: string, password: string): string =>
  role === roles.administrator
    ? password
    : Buffer.from(hkdfSha256(password, "doorlock", `database role ${role}`)).toString("base64url")

const urlOf = (role: string, password: string, socket: string, name: string = database) =>
  Redacted.make(
    `postgres://${role}:${passwordOf(role, password)}@${encodeURIComponent(socket)}:${socketPort}/${name}`
  )

/**
 * @param password the administrator's
 * @param socket the folder of the server's socket
 */
export const accessOf = (password: string, socket: string): EmbeddedAccess => ({
  url: urlOf(roles.service, password, socket),
  migrator: { url: urlOf(roles.owner, password, socket), grantee: roles.service },
  adminUrl: urlOf(roles.administrator, password, socket)
})

/** Durable even in tests: a killed server must not forget who may connect. */
const outlasting = "set synchronous_commit = on;"

/**
 * Creates the roles and gives them their rights, in one transaction. Done again, it changes nothing.
 *
 * The passwords have at least 192 random bits, so more hash iterations would only slow down each connection.
 */
const rolesText = (password: string): string => `
begin;
${outlasting}
-- If this fails, the passwords must not get into the log.
set local log_min_error_statement = 'panic';
set local scram_iterations = 1;
do $$ begin
  if to_regrole('${roles.owner}') is null then create role ${roles.owner}; end if;
  if to_regrole('${roles.service}') is null then create role ${roles.service}; end if;
end $$;
${Object.values(roles)
  .map((role) => `alter role ${role} login password '${passwordOf(role, password)}';`)
  .join("\n")}
do $$
declare
  change text;
begin
  for change in
    select format('alter database %I owner to ${roles.owner}', current_database())
    -- Not even temporary tables: without any object, a role can plant no trigger or function of its own.
    union all select format('revoke all on database %I, template1 from public, ${roles.service}', current_database())
    union all select format('grant connect on database %I to ${roles.service}', current_database())
    union all select 'revoke create on schema public from public'
    -- Large objects belong to the role that creates them.
    union all
    select format('revoke all on function %s from public', oid::regprocedure) from pg_proc
    where pronamespace = 'pg_catalog'::regnamespace and proname in ('lo_create', 'lo_creat', 'lo_from_bytea')
  loop
    execute change;
  end loop;
end $$;
commit`

/** The last step of creating the database. */
const nameText = `${outlasting} alter database ${firstDatabase} rename to ${database}`

/** Finds a row if every step is done. A database of that name with another owner does not count. */
const doneText = `select from pg_database where datname = '${database}' and datdba = to_regrole('${roles.owner}')`

/**
 * Makes the roles at each start, because the start before may have been killed. In a new cluster, a second transaction then renames the database.
 */
export const ensureRoles = (
  dataDir: string,
  password: string,
  socket: string
): Effect.Effect<void, EmbeddedPostgresError> => {
  const as = (name: string) => connect(urlOf(roles.administrator, password, socket, name))
  const query = (client: Client, text: string) =>
    Effect.tryPromise({ try: () => client.query(text), catch: toError })
  return Effect.gen(function* () {
    const client = yield* as("template1")
    const { rowCount } = yield* query(client, doneText)
    const isNamed = rowCount === 1
    yield* Effect.scoped(
      Effect.flatMap(as(isNamed ? database : firstDatabase), (one) => query(one, rolesText(password)))
    )
    if (!isNamed) yield* query(client, nameText)
  }).pipe(
    Effect.scoped,
    Effect.mapError(
      (cause) =>
        new EmbeddedPostgresError({
          message: `The roles of the database in DATA_DIR ${dataDir} cannot be created: ${cause.message}.`,
          cause
        })
    )
  )
}
