import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Stream from "effect/Stream"
import { transaction } from "../db/sql.ts"
import { auditUnwritten } from "../observability/metrics.ts"
import { newId, parseId } from "../secrets/identifier.ts"
import { beginning, type Fault, faultAtEnd, faultOf, type Head } from "./chain-model.ts"
import { type Actor, type AuditEntry, type AuditEvent, actionsNamed, resourceOf } from "./model.ts"
import { AuditRepo, type EventFilter } from "./repo.ts"

/** Events that are read at once when a trail is verified. */
const stretchLength = 500

export interface EventQuery {
  readonly limit: number
  /** Only events before this position. */
  readonly before?: number | undefined
  /** An action, or the first part of several. */
  readonly action?: string | undefined
  /** An id, as is `resource`; one that is none names nothing. */
  readonly actor?: string | undefined
  readonly resource?: string | undefined
  /** The first instant. */
  readonly from?: Date | undefined
  /** The first instant after. */
  readonly to?: Date | undefined
}

export interface EventPage {
  readonly events: ReadonlyArray<AuditEvent>
  /** For the next page: the position before which it begins. Null on the last. */
  readonly next: number | null
}

/** What a verification found of one company's trail. */
export interface TrailReport {
  readonly companyId: string
  /** Events whose hashes fit, one after the other from the first on. */
  readonly events: number
  /** The last of these, to be noted; null when there are none. */
  readonly head: Head | null
  readonly fault: Fault | null
}

/**
 * The audit trail of each company (docs/audit.md): who did what, when, from where, to what. An act and its event are one
 * transaction: neither is there without the other.
 */
export class Audit extends Effect.Service<Audit>()("Audit", {
  scoped: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* AuditRepo
    const notes = yield* FiberSet.make()
    yield* auditUnwritten.from(() => Effect.runSync(FiberSet.size(notes)))
    yield* Effect.addFinalizer(() => FiberSet.awaitEmpty(notes))

    /**
     * Writes what `by` did, in the transaction that does it and as the last of its statements: it holds the company's trail
     * until the transaction ends, and who holds that must not wait for anything else.
     */
    const append = (by: Actor, { action, details = {}, id, name }: AuditEntry): Effect.Effect<void> =>
      Effect.suspend(() =>
        repo.append({
          id: newId(),
          by,
          action,
          resource: { kind: resourceOf(action), id, name },
          details: JSON.stringify(details)
        })
      )

    /**
     * Does `act` and writes the events that `entriesOf` makes of its result, in one transaction (`db/sql`), which may run more
     * than once. What has changed nothing has no entries; what fails leaves no event.
     */
    const recording =
      <A>(by: Actor, entriesOf: (done: NoInfer<A>) => ReadonlyArray<AuditEntry>) =>
      <E, R>(act: Effect.Effect<A, E, R>) =>
        act.pipe(
          Effect.tap((done) =>
            Effect.forEach(entriesOf(done), (entry) => append(by, entry), { discard: true })
          ),
          transaction(sql)
        )

    /**
     * Writes, soon, what was tried in vain. Nobody waits for it: how long an answer takes must not tell what is known of
     * whom it names. It is written before the process ends; a database that fails loses it.
     */
    const note = (by: Actor, entry: AuditEntry): Effect.Effect<void> =>
      append(by, entry).pipe(
        Effect.catchAllCause((cause) => Effect.logWarning("An audit event could not be written", cause)),
        FiberSet.run(notes),
        Effect.asVoid
      )

    /** A company's events, newest first. */
    const list = (companyId: string, query: EventQuery): Effect.Effect<EventPage> => {
      const { action, actor, limit, resource, ...rest } = query
      const actorId = actor === undefined ? undefined : parseId(actor)
      const resourceId = resource === undefined ? undefined : parseId(resource)
      if (
        (actor !== undefined && actorId === undefined) ||
        (resource !== undefined && resourceId === undefined)
      ) {
        return nothing
      }
      const actions = action === undefined ? undefined : actionsNamed(action)
      const filter: EventFilter = { ...rest, companyId, actions, actorId, resourceId, limit: limit + 1 }
      return Effect.map(repo.list(filter), (found) => {
        const events = found.slice(0, limit)
        return { events, next: found.length > limit ? (events.at(-1)?.position ?? null) : null }
      })
    }
    const nothing: Effect.Effect<EventPage> = Effect.succeed({ events: [], next: null })

    const verifyTrail = Effect.fnUntraced(function* (companyId: string, noted: Head | undefined) {
      let last = beginning
      const report = (fault: Fault | undefined): TrailReport => ({
        companyId,
        events: last.position,
        head: last.position === 0 ? null : last,
        fault: fault ?? null
      })
      for (;;) {
        const { events, head } = yield* repo.stretch(companyId, last.position, stretchLength)
        for (const event of events) {
          const fault = faultOf(last, event, noted)
          if (fault !== undefined) return report(fault)
          last = { position: event.position, hash: event.hash }
        }
        if (events.length < stretchLength) return report(faultAtEnd(last, head, noted))
      }
    })

    /**
     * Computes every trail's hashes anew, or those of one company, and reports of each where it first is not what was written:
     * an event that was changed, removed, inserted or put elsewhere, or a tail that was cut off. Who can write the whole
     * database can make a chain that is whole anew; a head of an earlier report, noted elsewhere, tells that too. Events may
     * be written meanwhile.
     *
     * @param noted heads noted earlier, by company
     */
    const verify = (
      companyId?: string,
      noted: ReadonlyMap<string, Head> = new Map()
    ): Stream.Stream<TrailReport> =>
      Stream.fromIterableEffect(
        companyId === undefined
          ? Effect.map(repo.companies, (found) => new Set([...found, ...noted.keys()]))
          : Effect.succeed([companyId])
      ).pipe(Stream.mapEffect((id) => verifyTrail(id, noted.get(id))))

    return { append, recording, note, list, verify }
  })
}) {}
