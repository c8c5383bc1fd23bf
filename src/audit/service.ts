import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { afterCommit, rows, transaction } from "../db/sql.ts"
import { auditUnwritten } from "../observability/metrics.ts"
import { newId, parseId } from "../secrets/identifier.ts"
import { SecretKey } from "../secrets/secret-key.ts"
import {
  beginning,
  describeFault,
  type Fault,
  faultAtEnd,
  faultOf,
  faultOfPage,
  faultOfSeal,
  type Head,
  hashOf,
  isHead,
  type Known,
  type KnownPlaces,
  keyOfSeal,
  type StoredEvent,
  sealOf,
  withUnsealed
} from "./chain-model.ts"
import { type Actor, type AuditEntry, AuditEvent, actionsNamed, resourceOf } from "./model.ts"
import { AuditRepo, type EventFilter, type EventPlace } from "./repo.ts"

/** Events that are read at once when a trail is verified. */
const stretchLength = 500

/** Companies of which a process remembers the last event that it wrote. */
const remembered = 10_000

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

/** An event that this process has written and committed. */
export interface OwnEvent extends EventPlace {
  readonly isSealed: boolean
}

const decodeShown = rows(Schema.typeSchema(AuditEvent))

/** An event as its company's owners read it, to be decoded. */
const shown = (event: StoredEvent) => ({
  id: event.id,
  position: event.position,
  at: new Date(event.at),
  actor: { kind: event.actor_kind, id: event.actor_id, name: event.actor_name },
  address: event.address,
  user_agent: event.user_agent,
  action: event.action,
  resource: { kind: event.resource_kind, id: event.resource_id, name: event.resource_name },
  details: JSON.parse(event.details),
  previous_hash: event.previous_hash,
  hash: event.hash
})

/**
 * How far a trail has been read, which of its events is the one that is sealed, and when the first was written that no anchor covers, if
 * these have been read.
 */
interface Walked {
  readonly last: Head
  readonly sealed: Head | undefined
  readonly unanchoredSince: Date | null
}

const start: Walked = { last: beginning, sealed: undefined, unanchoredSince: null }

/** What a verification found of one company's trail. */
export interface TrailReport {
  readonly companyId: string
  /** Events whose hashes fit, one after the other from the first on. */
  readonly events: number
  /** The last of these, to be noted; null when there are none. */
  readonly head: Head | null
  /** When the first of these was written that comes after all that was anchored; null when there is none. */
  readonly unanchoredSince: Date | null
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
    const secretKey = yield* SecretKey
    const notes = yield* FiberSet.make()
    yield* auditUnwritten.from(() => Effect.runSync(FiberSet.size(notes)))
    /** Once nothing is left to be written of what was to be noted. */
    const notesWritten = FiberSet.awaitEmpty(notes)
    yield* Effect.addFinalizer(() => notesWritten)

    const sealKey = secretKey.derive("audit-seal")
    const sealKeys = secretKey.accepted("audit-seal")

    /** By company, the last event that this process has written and committed; the one that was remembered last is the last. */
    const written = new Map<string, OwnEvent>()
    const remember = (event: OwnEvent): void => {
      if (!isHead(event)) return
      // Answers of the database may come in another order than it committed.
      if ((written.get(event.companyId)?.position ?? 0) >= event.position) return
      written.delete(event.companyId)
      written.set(event.companyId, event)
      for (const oldest of written.keys()) {
        if (written.size <= remembered) break
        written.delete(oldest)
      }
    }

    /**
     * The last event of each company that this process has written, of the companies that it has written of last: whatever the
     * database says of it later.
     */
    const ownEvents = Effect.sync((): ReadonlyArray<OwnEvent> => [...written.values()])

    /** Forgets these, which somebody else remembers from now on. */
    const forget = (events: ReadonlyArray<OwnEvent>): Effect.Effect<void> =>
      Effect.sync(() => {
        for (const event of events)
          if (written.get(event.companyId) === event) written.delete(event.companyId)
      })

    /**
     * Seals an event that was written as the next of what is sealed. The database says where it stands, and is not believed: the
     * hash is computed anew from what was given to it, and the seal moves on only from the seal of the event before. So nothing that
     * somebody else wrote, or changed, gets sealed with it. An event that cannot be sealed stays, and `verify` finds it.
     *
     * @param hash as it was computed anew
     * @returns whether it was sealed
     */
    const seal = (event: StoredEvent, hash: string): Effect.Effect<boolean> => {
      const { company_id: companyId, position, previous_hash } = event
      const refused = (why: string) =>
        Effect.logWarning(`An audit event could not be sealed: ${why}; audit verify says more`).pipe(
          Effect.annotateLogs({ company: companyId, position }),
          Effect.as(false)
        )
      if (event.hash !== hash) return refused("the database has it differently")
      const before = { position: position - 1, hash: previous_hash }
      return Effect.flatMap(
        repo.seal(
          companyId,
          { position, seal: sealOf(sealKey, companyId, { position, hash }) },
          sealKeys.map((key) => sealOf(key, companyId, before))
        ),
        // A trail without a seal may be older than seals.
        ({ known, sealed }) =>
          sealed || !known
            ? Effect.succeed(sealed)
            : refused("the event before it is not the one that is sealed")
      )
    }

    /**
     * Writes what `by` did, in the transaction that does it and as the last of its statements: it holds the company's trail
     * until the transaction ends, and who holds that must not wait for anything else.
     */
    const append = (by: Actor, { action, details = {}, id, name }: AuditEntry): Effect.Effect<void> =>
      Effect.suspend(() => {
        const event = {
          id: newId(),
          by,
          action,
          resource: { kind: resourceOf(action), id, name },
          details: JSON.stringify(details)
        }
        return Effect.flatMap(repo.append(event), (placed) => {
          const companyId = by.companyId.toLowerCase()
          const stored: StoredEvent = {
            ...placed,
            company_id: companyId,
            id: event.id,
            actor_kind: by.kind,
            actor_id: by.id,
            actor_name: by.name,
            address: by.address,
            user_agent: by.userAgent,
            action,
            resource_kind: event.resource.kind,
            resource_id: id.toLowerCase(),
            resource_name: name,
            details: event.details
          }
          const hash = hashOf(stored)
          return Effect.flatMap(seal(stored, hash), (isSealed) =>
            afterCommit(() => remember({ companyId, position: placed.position, hash, isSealed }))
          )
        })
      })

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
        transaction(sql),
        Effect.catchAllCause((cause) => Effect.logWarning("An audit event could not be written", cause)),
        FiberSet.run(notes),
        Effect.asVoid
      )

    /**
     * A company's events, newest first. Hashes are computed anew, and where nothing is asked for but the page, that the page has all
     * events of its stretch of the chain. What is not as it was written is shown to nobody: that is a defect.
     */
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
      const isWhole = [action, actor, resource, query.from, query.to].every((asked) => asked === undefined)
      return Effect.flatMap(repo.list(filter), ({ events: found, head }) => {
        const fault = faultOfPage(
          found,
          isWhole ? { head, before: query.before, limit: filter.limit } : undefined
        )
        if (fault !== undefined) {
          return Effect.dieMessage(
            `The audit trail of ${companyId} cannot be listed: ${describeFault(fault)}`
          )
        }
        return Effect.map(decodeShown(Effect.sync(() => found.slice(0, limit).map(shown))), (events) => ({
          events,
          next: found.length > limit ? (events.at(-1)?.position ?? null) : null
        }))
      })
    }
    const nothing: Effect.Effect<EventPage> = Effect.succeed({ events: [], next: null })

    /** Reads a trail from `from` on, up to the first fault of the chain, or its end. */
    const walk = Effect.fnUntraced(function* (companyId: string, from: Walked, known: ReadonlyArray<Known>) {
      let { last, sealed, unanchoredSince } = from
      const anchoredUpTo = Math.max(
        0,
        ...known.flatMap(({ by, position }) => (by === "anchored" ? [position] : []))
      )
      const byPosition = Map.groupBy(known, ({ position }) => position)
      for (;;) {
        const { events, head, seal } = yield* repo.stretch(companyId, last.position, stretchLength)
        for (const event of events) {
          const fault = faultOf(last, event, byPosition.get(event.position))
          if (fault !== undefined) return { last, sealed, unanchoredSince, seal, fault, hasGoodSeal: false }
          if (event.position === anchoredUpTo + 1) unanchoredSince = new Date(event.at)
          last = { position: event.position, hash: event.hash }
          if (seal?.position === last.position) sealed = last
        }
        if (events.length === stretchLength) continue
        const hasGoodSeal =
          seal !== undefined &&
          sealed?.position === seal.position &&
          keyOfSeal(sealKeys, companyId, sealed, seal.seal) !== undefined
        return { last, sealed, unanchoredSince, seal, fault: faultAtEnd(last, head, known), hasGoodSeal }
      }
    })

    const verifyTrail = (companyId: string, known: ReadonlyArray<Known>): Effect.Effect<TrailReport> =>
      Effect.map(walk(companyId, start, known), ({ fault, last, seal, hasGoodSeal, unanchoredSince }) => {
        const found = fault ?? faultOfSeal(last, seal, hasGoodSeal)
        return {
          companyId,
          events: last.position,
          head: last.position === 0 ? null : last,
          unanchoredSince,
          fault: found === undefined ? null : withUnsealed(found, known)
        }
      })

    /**
     * Computes every trail's hashes anew, or those of one company, and reports of each where it first is not what was written:
     * an event that was changed, removed, inserted or put elsewhere, or a tail that was cut off. Who can write the whole
     * database can make a chain that is whole anew, but not its seal; what was known of it outside the database tells when all of it
     * is put back to what it was. Events may be written meanwhile.
     *
     * @param known places that were noted or anchored, by company
     */
    const verify = (companyId?: string, known: KnownPlaces = new Map()): Stream.Stream<TrailReport> =>
      Stream.fromIterableEffect(
        companyId === undefined
          ? Effect.map(repo.companies, (found) => new Set([...found, ...known.keys()]))
          : Effect.succeed([companyId])
      ).pipe(Stream.mapEffect((id) => verifyTrail(id, known.get(id) ?? [])))

    /**
     * Seals a trail up to its end, if its chain is whole and fits what is known of it, and says whether it did.
     *
     * @param by who has it sealed anew whose seal does not fit, with an event that says so; without, only what has no seal is sealed
     */
    const sealUp = Effect.fnUntraced(function* (companyId: string, known: ReadonlyArray<Known>, by?: Actor) {
      // First without keeping anybody waiting, then what has come meanwhile.
      const before = yield* walk(companyId, start, known)
      if (before.fault !== undefined) return false
      return yield* Effect.gen(function* () {
        yield* repo.lock(companyId)
        const { fault, hasGoodSeal, last, seal } = yield* walk(companyId, before, known)
        const found = fault ?? faultOfSeal(last, seal, hasGoodSeal)
        if (found?.kind !== "unsealed" && found?.kind !== "resealed") return false
        if (by === undefined && seal !== undefined) return false
        yield* repo.putSeal(companyId, { position: last.position, seal: sealOf(sealKey, companyId, last) })
        if (by !== undefined) {
          const details = { fault: found.kind, from: found.position }
          yield* append(by, { action: "audit.sealed", id: companyId, name: null, details })
        }
        return true
      }).pipe(transaction(sql))
    })

    return {
      append,
      recording,
      note,
      notesWritten,
      ownEvents,
      forget,
      list,
      companies: repo.companies,
      verify,
      sealUp
    }
  })
}) {}
