/** Which statements Citus would refuse, but for those of which we know (docs/citus.md). */
import { Effect, type Redacted } from "effect"
import { loadModule } from "libpg-query"
import { execute } from "../../support/postgres.ts"
import { type Catalog, refusedShapes, type Shape } from "./shapes.ts"
import { distribution, reference } from "./tables.ts"

interface Exception {
  /** A part of the statement's text, with single spaces. */
  readonly text: string
  readonly shapes: ReadonlyArray<Shape>
  /** Why the statement has this shape, and what to do before sessions are distributed. */
  readonly before: string
  /** Whether a clock, a start, a command or several requests at once send it, so that the walk over all routes need not see it. */
  readonly isSeldom?: true
}

const join: Shape = "join without the distribution column"
const locks: Shape = "locks rows of several shards"

const exceptions: ReadonlyArray<Exception> = [
  {
    text: "locked.version_id offset 0",
    shapes: [join, locks],
    before:
      "completions of several sessions share a statement: send one for each session, with its id as a parameter",
    isSeldom: true
  },
  {
    text: "given.steps = '{}'",
    shapes: [join, locks],
    before:
      "writes of several sessions share a statement: send one for each session, with its id as a parameter",
    isSeldom: true
  },
  {
    text: "from chain c join kyc_sessions p on p.id = c.previous_session_id",
    shapes: ["recursive", join],
    before:
      "a session follows those it was repeated from: store the first one's id with each, or read one after another"
  },
  {
    text: "from before b join kyc_sessions p on p.id = b.previous_session_id",
    shapes: ["recursive", join],
    before:
      "photos and browsers are compared with those of other sessions, but not of the same chain: as above"
  },
  {
    text: "join kyc_dedup_sightings d",
    shapes: [join],
    before:
      "what is known of a session's document is distributed by the document: read it in a second statement"
  },
  {
    text: "from kyc_dedup_sightings",
    shapes: [join],
    before: "the same, for the page of sessions and the session that a partner reads"
  },
  {
    text: "with near as materialized (",
    shapes: [join],
    before:
      "the list looks up what its index does not have: read the ids first, then the sessions by their ids"
  },
  {
    text: "with step as materialized (",
    shapes: [join],
    before: "the funnel reads the newest sessions of each status: one statement for each status"
  },
  {
    text: "with found as materialized ( select * from ((",
    shapes: [join],
    before: "the queue of reviews: read the reviews first, then their sessions by their ids"
  },
  {
    text: "with found as ( select * from kyc_reviews where company_id =",
    shapes: [join],
    before:
      "a review joins its session by the id that it was found with: give the session's id as a parameter too"
  },
  {
    text: "from users u cross join lateral ( select ( select true from kyc_reviews where claimed_by = u.id",
    shapes: [join],
    before: "the users who have claimed or decided a review: read their ids from the reviews first"
  },
  {
    text: "with recursive done (action) as (",
    shapes: ["recursive"],
    before:
      "the actions of a company's trail: the company's id is in each part, so Citus may send it to one node; try it"
  },
  {
    text: "as next ), expired as (",
    shapes: [locks],
    before: "expired sessions get their event: read their ids first, and lock each by its id",
    isSeldom: true
  },
  {
    text: "as rule (version_id uuid, days int, before timestamptz)",
    shapes: [join],
    before:
      "sessions whose retention is over are looked up for many versions at once: one statement for each version"
  },
  {
    text: "order by key_hmac for update",
    shapes: [locks],
    before: "key hashes of a dropped month are forgotten many at once: lock and forget each by itself"
  },
  {
    text: "select sealed_with from used",
    shapes: ["recursive"],
    before:
      "a start asks which secrets sealed the keys of sessions: store the secrets' ids in a table of their own",
    isSeldom: true
  },
  {
    text: "with recursive trails as (",
    shapes: ["recursive"],
    before: "audit verify of all companies finds those that have a trail: read them from audit_heads",
    isSeldom: true
  },
  {
    text: "select * from jsonb_to_recordset($1::text::jsonb) as given (file_id uuid, mac bigint)",
    shapes: [locks],
    before: "hashes of several photos are stored at once: give the session's id as a parameter too"
  }
]

const catalogOf = (databaseUrl: Redacted.Redacted<string>) =>
  Effect.gen(function* () {
    const columns = new Map<string, Set<string>>()
    const found = yield* execute(
      databaseUrl,
      `select c.relname as table, a.attname as column from pg_attribute a join pg_class c on c.oid = a.attrelid
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0`
    )
    for (const { column, table } of found) {
      const known = columns.get(String(table)) ?? new Set()
      columns.set(String(table), known.add(String(column)))
    }
    const mutable = yield* execute(
      databaseUrl,
      "select proname as name from pg_proc where provolatile <> 'i'"
    )
    return {
      distribution,
      reference,
      columns,
      mutable: new Set(mutable.map(({ name }) => String(name)))
    } satisfies Catalog
  })

/**
 * A sentence for each of these statements that Citus would refuse for a reason that no exception has, and for each exception that
 * excuses nothing.
 */
export const refusedByCitus = (databaseUrl: Redacted.Redacted<string>, texts: ReadonlySet<string>) =>
  Effect.gen(function* () {
    yield* Effect.promise(loadModule)
    const catalog = yield* catalogOf(databaseUrl)
    const unused = new Set(exceptions.filter(({ isSeldom }) => isSeldom !== true))
    const refused = [...texts].flatMap((statement) => {
      const text = statement.replaceAll(/\s+/g, " ")
      return refusedShapes(statement, catalog).flatMap(({ shape, table }) => {
        const excuses = exceptions.filter((one) => one.shapes.includes(shape) && text.includes(one.text))
        for (const one of excuses) unused.delete(one)
        return excuses.length > 0 ? [] : [`${shape} (${table}): ${text}`]
      })
    })
    return [...refused, ...[...unused].map(({ text }) => `No statement needs the exception for: ${text}`)]
  })
