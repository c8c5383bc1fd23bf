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

/** Something has rights that doorlock grants to nobody. The message is a part of a sentence. */
class Foreign extends Error {}

/** The routines that run with their owner's rights; `audit verify` checks the body of the first. */
const ownDefiners = [
  "public.audit_append()",
  "public.drop_session_month(integer)",
  "public.roll_event_partitions()",
  "public.roll_session_partitions()",
  "public.roll_usage_partitions(integer)",
  "public.roll_webhook_partitions()"
]

/** Finds superusers and the like, and functions with their owner's rights, that are not doorlock's. */
const foreignText = `
select 'the role ' || quote_ident(rolname) as what from pg_roles
where (rolsuper or rolcreaterole or rolbypassrls or rolreplication)
  and rolname not in (${Object.values(roles)
    .map((role) => `'${role}'`)
    .join(", ")})
union all
select 'the function ' || oid::regprocedure from pg_proc where prosecdef 
  and oid::regprocedure::text not in (${ownDefiners.map((name) => `'${name}'`).join(", ")})
order by 1`

/**
 * Restores the roles and their rights to those of a new cluster in one transaction, whatever anyone has
 * changed. The owner receives the database.
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
${[roles.owner, roles.service]
  .map(
    (role) =>
      `alter role ${role} nosuperuser nocreatedb nocreaterole noreplication nobypassrls inherit connection limit -1;`
  )
  .join("\n")}
${Object.values(roles)
  .map(
    (role) => `alter role ${role} login valid until 'infinity' password '${passwordOf(role, password)}';
alter role ${role} reset all;`
  )
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
    union all select 'revoke all on schema public from ${roles.service}'
    union all select 'revoke create on schema public from public'
    union all
    select format('alter database %I reset all', current_database())
    union all select 'alter role all reset all'
    union all
    select format('alter role %s in database %I reset all', setrole::regrole, datname)
    from pg_db_role_setting join pg_database d on d.oid = setdatabase
    where setrole in (${Object.values(roles)
      .map((role) => `'${role}'::regrole`)
      .join(", ")})
    union all
    select format('revoke %s from %s granted by %s cascade', roleid::regrole, member::regrole, grantor::regrole)
    from pg_auth_members
    where array[roleid, member] && array['${roles.owner}'::regrole::oid, '${roles.service}'::regrole::oid]
    -- Large objects belong to the role that creates them.
    union all
    select format('revoke all on function %s from public, ${roles.service}', oid::regprocedure) from pg_proc
    where pronamespace = 'pg_catalog'::regnamespace and proname in ('lo_create', 'lo_creat', 'lo_from_bytea')
  loop
    execute change;
  end loop;
end $$;
commit`

/** The database's owner may have set defaults that make the superuser run its functions. */
const ownSettings = `
set search_path = pg_catalog, pg_temp;
set role none;
set session characteristics as transaction read write`

/** The last step of creating the database. */
const nameText = `${outlasting} alter database ${firstDatabase} rename to ${database}`

/** Finds a row if every step is done. A database of that name with another owner does not count. */
const doneText = `select from pg_database where datname = '${database}' and datdba = to_regrole('${roles.owner}')`

/**
 * Restores the roles at each start, because anyone who could run statements as one of them may have changed
 * the cluster. In a new cluster, a second transaction then renames the
 * database; a killed process repeats both. If anything has rights that only doorlock may have, this changes
 * nothing and fails with an error that names it.
 */
export const ensureRoles = (
  dataDir: string,
  password: string,
  socket: string
): Effect.Effect<void, EmbeddedPostgresError> => {
  const as = (name: string) =>
    Effect.tap(connect(urlOf(roles.administrator, password, socket, name)), (client) =>
      query(client, ownSettings)
    )
  const query = (client: Client, text: string) =>
    Effect.tryPromise({ try: () => client.query(text), catch: toError })
  const renew = (client: Client) =>
    Effect.gen(function* () {
      const { rows } = yield* query(client, foreignText)
      if (rows.length > 0) return yield* Effect.fail(new Foreign(rows.map(({ what }) => what).join(", ")))
      yield* query(client, rolesText(password))
    })
  return Effect.gen(function* () {
    const client = yield* as("template1")
    const { rowCount } = yield* query(client, doneText)
    const isNamed = rowCount === 1
    yield* Effect.scoped(Effect.flatMap(as(isNamed ? database : firstDatabase), renew))
    if (!isNamed) yield* query(client, nameText)
  }).pipe(
    Effect.scoped,
    Effect.mapError(
      (cause) =>
        new EmbeddedPostgresError({
          message:
            cause instanceof Foreign
              ? `The database in DATA_DIR ${dataDir} has something that doorlock did not create, with rights that only doorlock may have: ${cause.message}; remove it if you know where it came from, restore a backup, or set DATABASE_URL.`
              : `The roles of the database in DATA_DIR ${dataDir} cannot be created: ${cause.message}.`,
          cause
        })
    )
  )
}
