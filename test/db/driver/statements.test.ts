/** What a statement's text and duration say about it. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  isShortRead,
  recordDuration,
  type Statement,
  statementOf
} from "../../../src/db/driver/statements.ts"
import { freshDatabase } from "../../support/database.ts"
import { execute } from "../../support/postgres.ts"

const made = (text: string): Statement => {
  const statement = statementOf(text)
  if (statement === undefined) throw new Error(`No statement of its own: ${text}`)
  return statement
}

const reads = (text: string) => made(text).isRead

/** Of those that Postgres marks as volatile, and that a statement can call: they differ from call to call, and do nothing. */
const telling = [
  "amvalidate",
  "array_sample",
  "array_shuffle",
  "clock_timestamp",
  "current_query",
  "currtid2",
  "currval",
  "gen_random_uuid",
  "lastval",
  "plpgsql_validator",
  "random",
  "random_normal",
  "timeofday",
  "txid_status",
  "uuidv4",
  "uuidv7"
]

it.scopedLive("a read calls no database function that may have side effects", () =>
  Effect.gen(function* () {
    // Including those of the migrations.
    const functions = yield* execute(
      yield* freshDatabase,
      `select distinct proname as name from pg_proc
        where provolatile = 'v' and prokind = 'f' and prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)
          and prorettype::regtype::text !~ 'handler$' and not 'internal'::regtype = any(proargtypes)`
    )
    const withSideEffects = functions
      .map(({ name }) => String(name))
      .filter((name) => !telling.includes(name))
    expect(withSideEffects).toEqual(
      expect.arrayContaining(["nextval", "pg_notify", "set_config", "pg_advisory_lock", "lo_unlink"])
    )
    expect(withSideEffects.filter((name) => reads(`select 1, ${name}($1)`))).toEqual([])
    expect(telling.filter((name) => !reads(`select 1, ${name}($1)`))).toEqual([])
  })
)

it("a read begins with select, takes no lock and creates nothing", () => {
  const reading = [
    "select id from books where id = $1",
    "\n  SELECT count(*), pg_backend_pid() from books where title = $1",
    "select settings, next_value, low from pg_books where id = $1"
  ]
  const withSideEffects = [
    "insert into books values ($1) returning id",
    "update books set title = $1 returning id",
    "with gone as (delete from books where id = $1 returning id) select id from gone",
    "select id into others from books where id = $1",
    "select id from books where id = $1 for no key update",
    "SELECT NextVal ($1)",
    'select pg_catalog."nextval"($1)',
    "select pg_cancel_backend($1)"
  ]
  expect([...reading, ...withSideEffects].filter(reads)).toEqual(reading)
})

const timed = (text: string, ...millis: ReadonlyArray<number>) => {
  const statement = made(text)
  for (const each of millis) recordDuration(statement, each)
  return isShortRead(statement)
}

const times = (count: number, millis: number) => Array.from({ length: count }, () => millis)

it.each([
  ["has been so for a while", [30, ...times(10, 0.3)], true],
  ["is answered by a process that is busy now and then", [...times(20, 0.3), 8, 8, 0.3, 20, 0.3, 0.3], true],
  ["has been so once", [0.3], false],
  ["has been so once among long ones", [400, 400, 0.3], false],
  ["has been so every other time", Array.from({ length: 100 }, (_, at) => (at % 2 === 0 ? 400 : 0.3)), false],
  ["has been long at last", [...times(100, 0.3), 400], false]
] as const)("whether a read is short that %s", (name, millis, isShort) => {
  expect(timed(`select $1 as "${name}"`, ...millis)).toBe(isShort)
})
