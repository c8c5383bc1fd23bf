import { Clock, Effect } from "effect"
import { sha256Text } from "../secrets/digest.ts"
import { SecretKey } from "../secrets/secret-key.ts"
import { type TimeoutName, Timing } from "../shared/timing.ts"
import { type AnchoredPlace, LastPlaces, writeAnchor, writePlace } from "./anchor-model.ts"
import { AnchorStore, AnchorsUnusable } from "./anchor-store.ts"
import { Anchored } from "./anchored-service.ts"
import { keyOfSeal, sealOf } from "./chain-model.ts"
import { AuditRepo, type EndRow } from "./repo.ts"
import { Audit } from "./service.ts"

/** The maximum number of trails that a log line names. */
const loggedTrails = 100

const warned = (sentence: string, companies: ReadonlyArray<string>): Effect.Effect<void> =>
  companies.length === 0
    ? Effect.void
    : Effect.logWarning(`${sentence}; run audit verify for details`).pipe(
        Effect.annotateLogs({
          trails: companies.length,
          companies: companies.slice(0, loggedTrails).join(" ")
        })
      )

const marksOf = (isSealed: boolean, contradicts: boolean): AnchoredPlace["marks"] => [
  ...(isSealed ? [] : ["unsealed" as const]),
  ...(contradicts ? ["contradicting" as const] : [])
]

/**
 * Records outside the database where the trails end (docs/audit.md). This reveals a truncated trail, one
 * restored with an older seal, and a missing company. Processes may anchor concurrently.
 */
export class Anchoring extends Effect.Service<Anchoring>()("Anchoring", {
  effect: Effect.gen(function* () {
    const audit = yield* Audit
    const timing = yield* Timing
    const { contradicted, lost, take } = yield* Anchored
    const repo = yield* AuditRepo
    const store = yield* AnchorStore
    const secretKey = yield* SecretKey
    const sealKeys = secretKey.accepted("audit-seal")

    /** What this process has read from the anchors so far. */
    let known = new LastPlaces()
    let readUpTo: string | undefined

    const readNew = Effect.suspend(() => {
      // Somebody may have removed the unreadable anchors.
      if (known.first === undefined) {
        known = new LastPlaces()
        readUpTo = undefined
      }
      return Effect.map(take(known, readUpTo), (mark) => {
        readUpTo = mark
      })
    })

    /** Whether the last event is sealed. Replaces a seal made with the previous key. */
    const isSealed = ({ company_id, seal, seal_position, ...head }: EndRow): Effect.Effect<boolean> => {
      const { position } = head
      if (seal === null || seal_position !== position) return Effect.succeed(false)
      const key = keyOfSeal(sealKeys, company_id, head, seal)
      const [current] = sealKeys
      if (key === undefined || current === undefined || key === current) {
        return Effect.succeed(key !== undefined)
      }
      const renewed = sealOf(current, company_id, head)
      return Effect.as(repo.replaceSeal(company_id, { position, seal }, renewed), true)
    }

    const add = Effect.fnUntraced(function* (places: ReadonlyArray<AnchoredPlace>) {
      const at = new Date(yield* Clock.currentTimeMillis)
      const text = writeAnchor({ at, places })
      yield* store.add(at, text)
      yield* Effect.logInfo("Anchored the audit trails").pipe(
        Effect.annotateLogs({
          trails: places.length,
          sha256: sha256Text(text),
          ...(places.length > loggedTrails ? {} : { heads: places.map(writePlace).join(" ") })
        })
      )
    })

    /** Queries the database only at the end, so that a wrong or missing response cannot affect the anchors. */
    const addOwn = Effect.gen(function* () {
      const events = audit.ownEvents.all
      if (events.length === 0) return
      const places = events.flatMap(
        ({ companyId, hash, isSealed, position }): ReadonlyArray<AnchoredPlace> => {
          const last = known.places.get(companyId)?.last
          if (last?.position === position && last.hash === hash) return []
          // A trail that contradicts its anchors still contradicts them after an append.
          const marks = marksOf(isSealed, last?.marks.includes("contradicting") === true)
          return [{ companyId, position, hash, marks }]
        }
      )
      if (places.length > 0) yield* add(places)
      audit.ownEvents.forget(events)
      const missing = (yield* lost(events)).map(({ companyId }) => companyId)
      yield* warned("Audit trails lack events that this process has written", missing)
    })

    const addEnds = Effect.gen(function* () {
      yield* readNew
      const isFirst = known.first === undefined
      const ends = yield* repo.ends
      const others = new Set(yield* contradicted(ends, known))
      const places = yield* Effect.forEach(ends, (end) =>
        Effect.map(isSealed(end), (sealed) => {
          const { company_id: companyId, hash, position } = end
          return { companyId, position, hash, marks: marksOf(sealed, others.has(companyId)) }
        })
      )
      yield* warned("Audit trails differ from their anchors", [...others])
      const moved = places.filter((place) => {
        const last = known.places.get(place.companyId)?.last
        return last === undefined || writePlace(last) !== writePlace(place)
      })
      if (isFirst || moved.length > 0) yield* add(moved)
      yield* warned(
        "Audit trails end with an event that doorlock has not sealed",
        places.flatMap(({ companyId, marks }) => (marks.includes("unsealed") ? [companyId] : []))
      )
    })

    /** Logs a failure. The next run catches up. */
    const logged = <E>(anchoring: Effect.Effect<void, E>): Effect.Effect<void> =>
      Effect.catchAllCause(anchoring, (cause) =>
        Effect.logWarning("The audit trails could not be anchored; trying again later", cause)
      )

    const within = <E>(anchoring: Effect.Effect<void, E>, timeout: TimeoutName) =>
      logged(
        timing.withinOr(
          timeout,
          anchoring,
          () => new AnchorsUnusable({ message: "The database or the anchor store did not respond in time" })
        )
      )

    /** Anchors this process's events from memory, even if the database does not respond. Never fails. */
    const anchorOwn = (timeout: TimeoutName): Effect.Effect<void> =>
      Effect.zipRight(within(readNew, timeout), logged(addOwn))

    /** Anchors trails that have grown in the database, then this process's events missing there. Never fails. */
    const anchor = (timeout: TimeoutName): Effect.Effect<void> =>
      Effect.zipRight(within(Effect.zipRight(addEnds, readNew), timeout), logged(addOwn))

    return { anchor, anchorOwn }
  })
}) {}
