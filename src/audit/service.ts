import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, FiberSet, Schema } from "effect"
import { rows, transaction } from "../db/sql.ts"
import { auditUnwritten } from "../observability/metrics.ts"
import { SecretKey } from "../secrets/secret-key.ts"
import { newId, parseId } from "../shared/identifier.ts"
import { type Head, hashOf, type Known, type StoredEvent, sealOf } from "./chain-model.ts"
import { describeFault, faultOfPage, faultOfSeal } from "./fault-model.ts"
import type { EventFilter } from "./list-repo.ts"
import { type Actor, type AuditEntry, AuditEvent, actionsNamed, resourceOf } from "./model.ts"
import { AuditRepo } from "./repo.ts"
import { verificationOf } from "./verification.ts"

export type { TrailReport } from "./verification.ts"

interface EventQuery extends Omit<EventFilter, "actions" | "companyId"> {
  /** An action, or the first part of several. */
  readonly action?: string | undefined
}

const decodeShown = rows(Schema.typeSchema(AuditEvent))

/** An event as shown to its company's owners, still to be decoded. */
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

/** Audit trails (docs/audit.md). An action and its event share a transaction: neither exists alone. */
export class Audit extends Effect.Service<Audit>()("Audit", {
  scoped: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* AuditRepo
    const secretKey = yield* SecretKey
    const notes = yield* FiberSet.make()
    yield* auditUnwritten.from(() => Effect.runSync(FiberSet.size(notes)))
    const notesWritten = FiberSet.awaitEmpty(notes)
    yield* Effect.addFinalizer(() => notesWritten)

    const sealKey = secretKey.derive("audit-seal")
    const sealKeys = secretKey.accepted("audit-seal")
    const { verify, walk } = verificationOf(repo, sealKeys)

    /**
     * Seals an event. Does not trust the database: this process computed `hash`,
     * and the seal only moves on from the event before, so nothing that somebody else wrote or changed is
     * sealed. An event that cannot be sealed stays, and `verify` reports it.
     */
    const seal = (event: StoredEvent, hash: string): Effect.Effect<void> => {
      const { company_id: companyId, position, previous_hash } = event
      const refused = (why: string) =>
        Effect.logWarning(`An audit event could not be sealed: ${why}; run audit verify for details`).pipe(
          Effect.annotateLogs({ company: companyId, position })
        )
      if (event.hash !== hash) return refused("the database stored it differently")
      const before = { position: position - 1, hash: previous_hash }
      return Effect.flatMap(
        repo.seal(
          companyId,
          { position, seal: sealOf(sealKey, companyId, { position, hash }) },
          sealKeys.map((key) => sealOf(key, companyId, before))
        ),
        // A trail without a seal may be older than the seals feature.
        ({ known, sealed }) =>
          sealed || !known ? Effect.void : refused("the event before it is not the sealed one")
      )
    }

    /** The transaction's last statement: the holder of the trail's lock must not wait for anything else. */
    const append = (by: Actor, { action, details = {}, id, name }: AuditEntry): Effect.Effect<void> =>
      Effect.suspend(() => {
        const event = {
          company_id: by.companyId.toLowerCase(),
          id: newId(),
          actor_kind: by.kind,
          actor_id: by.id,
          actor_name: by.name,
          address: by.address,
          user_agent: by.userAgent,
          action,
          resource_kind: resourceOf(action),
          resource_id: id.toLowerCase(),
          resource_name: name,
          details: JSON.stringify(details)
        }
        return Effect.flatMap(repo.append(event), (placed) => {
          const stored = { ...event, ...placed }
          return seal(stored, hashOf(stored))
        })
      })

    /** Runs `act` and appends its events in one transaction (`db/sql`), which may run more than once. */
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
     * Records a failed attempt in the background: the response's timing must not reveal whether the user
     * exists. The event is written before the process ends, unless the database fails.
     */
    const note = (by: Actor, entry: AuditEntry): Effect.Effect<void> =>
      append(by, entry).pipe(
        transaction(sql),
        Effect.catchAllCause((cause) => Effect.logWarning("An audit event could not be written", cause)),
        FiberSet.run(notes),
        Effect.asVoid
      )

    /**
     * Newest first. `next` is the `before` of the next page, null on the last one. A malformed id matches
     * nothing. A changed event, or in a list without filters a missing one, causes a defect.
     */
    const list = Effect.fnUntraced(function* (companyId: string, query: EventQuery) {
      const { action, actor, limit, resource } = query
      const isUnknown = (id: string | undefined) => id !== undefined && parseId(id) === undefined
      if (isUnknown(actor) || isUnknown(resource)) return { events: [], next: null }
      const filter: EventFilter = {
        ...query,
        companyId,
        actions: action === undefined ? undefined : actionsNamed(action),
        actor: actor && parseId(actor),
        resource: resource && parseId(resource),
        limit: limit + 1
      }
      const isWhole = [action, actor, resource, query.from, query.to].every((asked) => asked === undefined)
      const { events: found, head } = yield* repo.list(filter)
      const fault = faultOfPage(
        found,
        isWhole ? { head, before: query.before, limit: filter.limit } : undefined
      )
      if (fault !== undefined) {
        return yield* Effect.dieMessage(
          `The audit trail of ${companyId} cannot be listed: ${describeFault(fault)}`
        )
      }
      const events = yield* decodeShown(Effect.sync(() => found.slice(0, limit).map(shown)))
      return { events, next: found.length > limit ? (events.at(-1)?.position ?? null) : null }
    })

    /**
     * Seals an intact trail that matches the known places.
     *
     * @param head only if this is still the last event
     */
    const sealUp = Effect.fnUntraced(function* (
      companyId: string,
      known: ReadonlyArray<Known>,
      by: Actor,
      head?: Head
    ) {
      // Walk the existing events without a lock, then lock and walk what was appended since.
      const before = yield* walk(companyId, known)
      if (before.fault !== undefined) return false
      return yield* Effect.gen(function* () {
        yield* repo.lock(companyId)
        const { fault, hasGoodSeal, last, seal } = yield* walk(companyId, known, before)
        const found = fault ?? faultOfSeal(last, seal, hasGoodSeal)
        if (found?.kind !== "unsealed" && found?.kind !== "resealed") return false
        if (head !== undefined && last.hash !== head.hash) return false
        yield* repo.putSeal(companyId, { position: last.position, seal: sealOf(sealKey, companyId, last) })
        const details = { fault: found.kind, from: found.position }
        yield* append(by, { action: "audit.sealed", id: companyId, name: null, details })
        return true
      }).pipe(transaction(sql))
    })

    return {
      append,
      recording,
      note,
      notesWritten,
      list,
      companies: repo.companies,
      verify,
      sealUp
    }
  })
}) {}
