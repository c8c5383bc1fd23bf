/** The shapes that Citus refuses are found, and others are not. test/db/plans/plans.system.test.ts holds all statements to them. */
import { beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { loadModule } from "libpg-query"
import { freshDatabase } from "../../support/database.ts"
import { execute } from "../../support/postgres.ts"
import { type Catalog, refusedShapes } from "./shapes.ts"
import { distribution } from "./tables.ts"

const catalog: Catalog = {
  distribution: new Map([
    ["sessions", "id"],
    ["files", "session_id"],
    ["trail", "company_id"]
  ]),
  reference: new Set(["versions"]),
  columns: new Map([
    ["sessions", new Set(["id", "status", "started_at", "version_id"])],
    ["files", new Set(["id", "session_id", "size"])],
    ["trail", new Set(["company_id", "position"])],
    ["versions", new Set(["id"])],
    ["users", new Set(["id", "name"])]
  ]),
  mutable: new Set(["now", "random"])
}

beforeAll(loadModule)

const shapes = (text: string) => refusedShapes(text, catalog).map(({ shape }) => shape)

const locks = "locks rows of several shards"
const beside = "locks rows beside a table of the coordinator"
const changeable = "changeable function in CASE or COALESCE of a change"
const join = "join without the distribution column"

describe("finds", () => {
  for (const [text, shape] of [
    ["select from sessions where status = $1 for update", locks],
    ["select from sessions where id = any ($1) for key share", locks],
    ["select from sessions s join unnest($1::uuid[]) as g (id) on g.id = s.id for update of s", locks],
    ["with one as (select from sessions for update skip locked) select from one", locks],
    ["select from sessions s join users u on true where s.id = $1 for update of s", beside],
    ["update sessions set started_at = coalesce(started_at, now()) where id = $1", changeable],
    ["update sessions set started_at = case when $2 then current_timestamp end where id = $1", changeable],
    ["update sessions set status = 'a' where id = $1 and coalesce(started_at, now()) < $2", changeable],
    [
      "insert into sessions (id) values ($1) on conflict (id) do update set started_at = coalesce(sessions.started_at, now())",
      changeable
    ],
    ["with s as (update sessions set started_at = coalesce(started_at, now())) select", changeable],
    ["select from sessions s join files f on f.id = s.id", join],
    ["select from sessions s, files f where f.size > 1 and s.id = $1", join],
    ["select from sessions s join trail t on t.company_id = s.id and s.id = $1 join files f on true", join],
    ["select (select count(*) from files f where f.size = u.id) from users u", join],
    ["select from sessions s where exists (select from files f where f.size = s.version_id)", join],
    [
      "with recursive c as (select id from sessions where id = $1 union all select s.id from c join sessions s on s.version_id = c.id) select from c",
      "recursive"
    ]
  ] as const) {
    it(text, () => {
      expect(shapes(text)).toEqual([shape])
    })
  }
})

describe("takes", () => {
  for (const text of [
    "select from sessions where id = $1 and status = 'a' for update",
    "select from sessions where id = $1::uuid for update",
    "select from sessions s join files f on f.session_id = s.id where s.id = $1 for update",
    "select from sessions s join versions v on v.id = s.version_id where s.id = $1 for update of s",
    "select from users where name = $1 for update",
    "update sessions set started_at = now() where id = $1",
    "with m as (select now() as at) update sessions set started_at = coalesce(started_at, m.at) from m where id = $1",
    "update users set name = coalesce(name, now()::text)",
    "select coalesce(started_at, now()) from sessions",
    "select from sessions s left join files f on f.session_id = s.id",
    "select from sessions s, files f where s.id = $1 and f.session_id = $2",
    "select from sessions s where exists (select from files f where f.session_id = s.id)",
    "select from sessions where id in (select session_id from files)",
    "with recursive n as (select 1 as i union all select i + 1 from n where i < 9), s as (select id from sessions) select from n, s"
  ]) {
    it(text, () => {
      expect(shapes(text)).toEqual([])
    })
  }
})

/** Citus gives a shard's rows another type, so a function of the table's own type is not found there. */
it.scopedLive("triggers of distributed tables call no function of a row, but for audit_text", () =>
  Effect.gen(function* () {
    const found = yield* execute(
      yield* freshDatabase,
      `select p.proname as name, t.typname as row from pg_proc p, unnest(p.proargtypes) as argument
         join pg_type t on t.oid = argument
       where t.typname = any ($1::text[]) and t.typtype = 'c'`,
      [[...distribution.keys()]]
    )
    expect(found).toEqual([{ name: "audit_text", row: "audit_events" }])
  })
)

it.scopedLive("each distributed table has its distribution column", () =>
  Effect.gen(function* () {
    const found = yield* execute(
      yield* freshDatabase,
      `select c.relname as table, a.attname as column from pg_attribute a join pg_class c on c.oid = a.attrelid
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnotnull`
    )
    const columns = new Set(found.map(({ column, table }) => `${table}.${column}`))
    for (const [table, column] of distribution) expect([...columns]).toContain(`${table}.${column}`)
  })
)
