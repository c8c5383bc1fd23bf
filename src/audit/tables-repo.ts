import type * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { onlyRow, orDie, rows, transaction } from "../db/sql.ts"

/** As the migrations create it. */
interface Table {
  /** Whether it consists of partitions, by a hash of the company. Each of them is as the table. */
  readonly isDivided?: true
  /** Each with its type, as `format_type` prints it. */
  readonly columns: ReadonlyArray<string>
  /** By name: the function, and when it is called. All fire always, whichever columns change. */
  readonly triggers: Readonly<Record<string, string>>
  /** Of roles that do not own it, besides reading. */
  readonly rights: ReadonlyArray<string>
}

/** The bits of `tgtype` in `pg_trigger`. */
const on = { row: 1, before: 2, insert: 4, delete: 8, update: 16, truncate: 32 } as const

/** `audit_refuse` for each statement of these kinds; `by hand`: except those of a trigger. */
const refusing = (kinds: number, whose: "all" | "by hand" = "all") =>
  `audit_refuse ${on.before | kinds}${whose === "all" ? "" : " when (pg_trigger_depth() = 0)"}`

const place = ["company_id uuid", "position bigint"]

const tables: Readonly<Record<string, Table>> = {
  audit_events: {
    isDivided: true,
    columns: [
      ...place,
      ...["id uuid", "at timestamp(3) with time zone", "actor_kind text", "actor_id uuid", "actor_name text"],
      ...["address text", "user_agent text", "action text", "resource_kind text", "resource_id uuid"],
      ...["resource_name text", "details json", "previous_hash bytea", "hash bytea"]
    ],
    triggers: {
      audit_events_append: `audit_append ${on.before | on.row | on.insert}`,
      audit_events_kept: refusing(on.delete | on.update | on.truncate)
    },
    rights: ["INSERT"]
  },
  audit_heads: {
    columns: [...place, "hash bytea", "last_at timestamp(3) with time zone"],
    triggers: {
      audit_heads_kept: refusing(on.delete | on.truncate),
      audit_heads_moved: refusing(on.insert | on.update, "by hand")
    },
    rights: ["UPDATE"]
  },
  audit_seals: { columns: [...place, "seal bytea"], triggers: {}, rights: ["INSERT", "UPDATE"] },
  audit_setbacks: {
    columns: [...place, "at timestamp(3) with time zone", "previous_at timestamp(3) with time zone"],
    triggers: {
      audit_setbacks_kept: refusing(on.delete | on.update | on.truncate),
      audit_setbacks_noted: refusing(on.insert, "by hand")
    },
    rights: []
  }
}

/** Of each function that the triggers call: the base64 SHA-256 of its body, with LF line ends. */
const functions: Readonly<Record<string, string>> = {
  audit_append: "CJxbQ4pzZ0n537RMD93Ss/Bs7Ywl1VBa/s/+k/NoXqA=",
  audit_refuse: "6tBFirpt2/t25NleGGS/3wqIab5J3OfhN3obA9r3A5o=",
  audit_text: "6kiLW2aGmqUJW0Z9M+qPXBl+u++GTJ/kkfEiTkMcv4Y="
}

const Found = Schema.Struct({
  schemas: Schema.Array(Schema.String),
  ids: Schema.Array(Schema.NullOr(Schema.String))
})

const Names = Schema.Array(Schema.String)

/** `share`: of the rows of `parent`, by the bounds of the partition. */
const TableRow = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  is_table: Schema.Boolean,
  division: Schema.NullOr(Schema.String),
  parent: Schema.NullOr(Schema.String),
  share: Schema.NullOr(Schema.Number),
  has_row_security: Schema.Boolean,
  has_relatives: Schema.Boolean,
  rules: Names,
  triggers: Schema.Array(Schema.Struct({ name: Schema.String, definition: Schema.String })),
  grants: Schema.Array(Schema.Struct({ to: Schema.String, right: Schema.String })),
  columns: Names
})
type TableRow = typeof TableRow.Type

/** What is wrong with a table, or with a partition of it. */
const faultsOf = ({ columns, rights, triggers }: Table, row: TableRow): ReadonlyArray<string> => {
  const { name } = row
  const others = row.triggers.filter(({ definition, name }) => triggers[name] !== definition)
  const missing = Object.keys(triggers).filter((wanted) =>
    row.triggers.every((trigger) => trigger.name !== wanted)
  )
  const excess = row.grants.filter(({ right, to }) => to === "PUBLIC" || !rights.includes(right))
  return [
    ...(row.has_row_security ? [`Row level security is on for ${name}.`] : []),
    ...(row.has_relatives ? [`The table ${name} inherits, or is inherited from.`] : []),
    ...row.rules.map((rule) => `There is a rule on ${name}: ${rule}.`),
    ...others.map((trigger) => `There is a trigger on ${name} that is not doorlock's: ${trigger.name}.`),
    ...missing.map((trigger) => `The trigger ${trigger} on ${name} is missing.`),
    ...excess.map(({ right, to }) => `${to} has the right ${right} on ${name}.`),
    ...(row.columns.join() === columns.join() ? [] : [`The columns of ${name} are not doorlock's.`])
  ]
}

/** What is wrong with the partitions of a table. Postgres lets no two overlap, so they are complete if their shares add up to 1. */
const faultsOfPartitions = (table: Table, row: TableRow, partitions: ReadonlyArray<TableRow>) => {
  const { division, name } = row
  if (table.isDivided === undefined) return []
  if (division !== "HASH (company_id)") return [`${name} is not divided by company.`]
  const known = new Set(faultsOf(table, row))
  const whole = partitions.reduce((sum, { share }) => sum + (share ?? 0), 0)
  return [
    ...(whole === 1 ? [] : [`A partition of ${name} is missing.`]),
    ...partitions.flatMap((partition) =>
      partition.is_table && partition.division === null
        ? // A trigger of the table is one of each partition.
          faultsOf(table, partition).filter((fault) => !known.has(fault.replaceAll(partition.name, name)))
        : [`${partition.name} is not a table.`]
    )
  ]
}

/** `is_bound`: resolves names as its caller does, or only in `pg_catalog`, its schema and `pg_temp`. */
const FunctionRow = Schema.Struct({ name: Schema.String, digest: Schema.String, is_bound: Schema.Boolean })

/**
 * What in the database interferes with reading or storing the trails, in sentences. The owner of the tables
 * can make them answer one statement differently from the next, by row security, a view or rule in place of
 * a table, a trigger, a type with its own operators, or a schema that is searched first. Stored events can
 * change through a missing or disabled trigger, or the rights of others.
 */
export const interferenceOn = (sql: SqlClient.SqlClient): Effect.Effect<ReadonlyArray<string>> => {
  const names = Object.keys(tables)
  const decodeFound = onlyRow(Found)
  const decodeTables = rows(TableRow)
  const decodeFunctions = rows(FunctionRow)
  return Effect.gen(function* () {
    // Resolves names as the statements on the trails do. No operators here: they might not be Postgres' own.
    const { ids, schemas } = yield* decodeFound(sql`
      select pg_catalog.current_schemas(true)::pg_catalog.text[] as schemas,
        array(select pg_catalog.to_regclass(name)::pg_catalog.oid::pg_catalog.text from pg_catalog.unnest(${names}::text[]) given (name)) as ids`)
    const [first] = schemas.filter((name) => !name.startsWith("pg_temp_"))
    if (first !== "pg_catalog") return [`The schema ${first} is searched before pg_catalog (search_path).`]
    const present = ids.filter((id) => id !== null)
    yield* orDie(sql`set local search_path = pg_catalog, pg_temp`)
    const found = yield* decodeTables(sql`
      with given as materialized (
        select unnest(${present}::text[]::oid[]) as id
      ), parts as materialized (
        select i.inhrelid as id, i.inhparent as parent, i.inhdetachpending as is_leaving
        from pg_inherits i join given on given.id = i.inhparent
        where (select p.relkind from pg_class p where p.oid = i.inhparent) = 'p'
      )
      select c.oid::text as id, c.relname::text as name, c.relkind in ('r', 'p') and c.relpersistence <> 't' as is_table,
        case when c.relkind = 'p' then pg_get_partkeydef(c.oid) end as division,
        parts.parent::text as parent,
        case when not parts.is_leaving
          then 1 / substring(pg_get_expr(c.relpartbound, 0) from 'modulus ([0-9]+)')::float8 end as share,
        c.relrowsecurity or c.relforcerowsecurity as has_row_security,
        exists (
          select from pg_inherits i where c.oid in (i.inhrelid, i.inhparent) and i.inhrelid not in (select id from parts)
        ) as has_relatives,
        array(select r.rulename::text from pg_rewrite r where r.ev_class = c.oid order by 1) as rules,
        coalesce((
          select json_agg(json_build_object('name', t.tgname, 'definition',
            p.proname || case when p.pronamespace = c.relnamespace then ' ' else ' elsewhere ' end || t.tgtype
              -- Without the table, pg_get_expr waits for no lock. A condition on a row needs it, but doorlock has none.
              || case when t.tgqual is null then '' when t.tgqual::text like '%{VAR %' then ' when a row'
                else ' when ' || pg_get_expr(t.tgqual, 0) end
              || case when t.tgattr::text = '' then '' else ' of columns' end
              || case t.tgenabled when 'A' then '' else ' not always' end) order by t.tgname)
          from pg_trigger t join pg_proc p on p.oid = t.tgfoid
          -- Postgres 14 takes a trigger that a partition has from its table for an internal one.
          where t.tgrelid = c.oid and (not t.tgisinternal or t.tgparentid <> 0 and t.tgconstraint = 0)
        ), '[]') as triggers,
        coalesce((
          select json_agg(distinct jsonb_build_object(
            'to', case a.grantee when 0 then 'PUBLIC' else a.grantee::regrole::text end, 'right', a.privilege_type))
          from (
            select (aclexplode(c.relacl)).*
            union all select (aclexplode(b.attacl)).* from pg_attribute b where b.attrelid = c.oid
          ) a where a.grantee <> c.relowner and a.privilege_type <> 'SELECT'
        ), '[]') as grants,
        array(
          select a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
          from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped order by a.attnum
        ) as columns
      from pg_class c left join parts on parts.id = c.oid
      where c.oid in (select id from given union all select id from parts)
      order by c.relname`)
    const bodies = yield* decodeFunctions(sql`
      select p.proname::text as name, encode(sha256(convert_to(replace(p.prosrc, chr(13) || chr(10), chr(10)), 'UTF8')), 'base64') as digest, case when p.proconfig is null then not p.prosecdef
          else p.proconfig = array['search_path=pg_catalog, ' || quote_ident(n.nspname) || ', pg_temp'] end as is_bound
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where p.proname = any (${Object.keys(functions)}::text[]::name[])
        and p.pronamespace in (select c.relnamespace from pg_class c where c.oid = any (${present}::text[]::oid[]))
      order by 1`)
    const byId = new Map(found.map((row) => [row.id, row]))
    return [
      ...Object.entries(tables).flatMap(([name, table], index) => {
        const row = byId.get(ids[index] ?? "")
        if (row === undefined) return [`There is no table ${name}.`]
        if (!row.is_table) return [`${name} is not a table.`]
        const partitions = found.filter(({ parent }) => parent === row.id)
        return [...faultsOf(table, row), ...faultsOfPartitions(table, row, partitions)]
      }),
      ...bodies.flatMap(({ digest, is_bound, name }) =>
        is_bound && digest === functions[name] ? [] : [`The function ${name} is not doorlock's.`]
      )
    ]
  }).pipe(transaction(sql))
}
