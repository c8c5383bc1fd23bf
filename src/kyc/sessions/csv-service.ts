import { Chunk, Effect, Option, Stream } from "effect"
import type { Cursor } from "../../shared/cursor.ts"
import { parseId } from "../../shared/identifier.ts"
import { csvLines } from "./csv.ts"
import { type PlainRow, type SessionFilter, SessionListRepo } from "./list-repo.ts"

/** How many sessions are read, and held in memory, at once. */
const batch = 1_000

/** The columns, and what each has of a session. None has personal data. */
const columns = {
  id: ({ id }) => id,
  external_reference: ({ external_reference }) => external_reference,
  instance_id: ({ instance_id }) => instance_id,
  mode: ({ mode }) => mode,
  status: ({ status }) => status,
  expired: ({ expired }) => String(expired),
  created_at: ({ created_at }) => created_at.toISOString(),
  started_at: ({ started_at }) => started_at?.toISOString(),
  completed_at: ({ completed_at }) => completed_at?.toISOString(),
  expires_at: ({ expires_at }) => expires_at.toISOString(),
  flags: ({ flags }) => flags.join(" "),
  review: ({ review }) => review,
  decided_at: ({ decided_at }) => decided_at?.toISOString()
} satisfies Record<string, (session: PlainRow) => string | null | undefined>

/** Lists of sessions as CSV (contract.md#session-csv). */
export class SessionCsv extends Effect.Service<SessionCsv>()("SessionCsv", {
  dependencies: [SessionListRepo.Default],
  effect: Effect.gen(function* () {
    const repo = yield* SessionListRepo

    /**
     * All sessions that match, however many, in the order of the list; the parts of the text are read one after the other, as they are asked
     * for. The effect has read the first part, so that a failure of the database becomes its own.
     */
    const all = (companyId: string, filter: SessionFilter) => {
      const instanceId = filter.instanceId === undefined ? undefined : parseId(filter.instanceId)
      const isOfNone = filter.instanceId !== undefined && instanceId === undefined
      const part = Effect.fnUntraced(function* (cursor: Cursor | undefined) {
        const { next, page } = yield* repo.find({ ...filter, instanceId, companyId, cursor, limit: batch })
        const ids = page.map(({ id }) => id)
        const sessions = ids.length === 0 ? [] : yield* repo.plain(companyId, ids)
        const text = csvLines(sessions.map((session) => Object.values(columns).map((of) => of(session))))
        return [
          text,
          Option.map(Option.fromNullable(next), ({ created_at, id }) => ({ createdAt: created_at, id }))
        ] as const
      })
      const head = csvLines([Object.keys(columns)])
      if (isOfNone) return Effect.succeed(Stream.make(head))
      return Effect.map(part(undefined), ([first, next]) => {
        const others = Option.match(next, {
          onNone: () => Stream.empty,
          onSome: (cursor) => Stream.paginateEffect(cursor, part)
        })
        return Stream.concat(Stream.fromChunk(Chunk.make(head, first)), others)
      })
    }

    return { all }
  })
}) {}
