import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { sha256Text } from "../secrets/digest.ts"
import { SecretKey } from "../secrets/secret-key.ts"
import { type AnchoredPlace, LastPlaces, writeAnchor, writePlace } from "./anchor-model.ts"
import { AnchorStore, AnchorsUnusable } from "./anchor-store.ts"
import { Anchored } from "./anchored-service.ts"
import type { EndRow } from "./anchors-repo.ts"
import { keyOfSeal, sealOf } from "./chain-model.ts"
import { AuditRepo } from "./repo.ts"
import { Audit } from "./service.ts"

/** Up to this many trails, the log names each. */
const loggedTrails = 100

const warned = (sentence: string, companies: ReadonlyArray<string>): Effect.Effect<void> =>
  companies.length === 0
    ? Effect.void
    : Effect.logWarning(`${sentence}; audit verify says more`).pipe(
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
 * Notes outside the database where the trails of companies end (docs/audit.md), so that a tail that was cut off, a trail that was put
 * back with an older seal, and a company that is gone are found. Several processes may do so at once: anchors are only ever added.
 */
export class Anchoring extends Effect.Service<Anchoring>()("Anchoring", {
  effect: Effect.gen(function* () {
    const audit = yield* Audit
    const { contradicted, lost, take } = yield* Anchored
    const repo = yield* AuditRepo
    const store = yield* AnchorStore
    const secretKey = yield* SecretKey
    const sealKeys = secretKey.accepted("audit-seal")

    /** What anchors say, as far as they were read. */
    let known = new LastPlaces()
    let readUpTo: string | undefined

    const readOn = Effect.suspend(() => {
      // As long as no anchor could be read, all are read again: somebody may have removed those that cannot be read.
      if (known.first === undefined) {
        known = new LastPlaces()
        readUpTo = undefined
      }
      return Effect.map(take(known, readUpTo), (mark) => {
        readUpTo = mark
      })
    })

    /** Whether the last event is sealed. A seal made with the previous key is replaced by one made with the present key. */
    const isSealed = ({
      company_id,
      hash,
      position,
      seal,
      seal_position
    }: EndRow): Effect.Effect<boolean> => {
      if (seal === null || seal_position !== position) return Effect.succeed(false)
      const key = keyOfSeal(sealKeys, company_id, { position, hash }, seal)
      const [present] = sealKeys
      if (key === undefined || present === undefined || key === present) {
        return Effect.succeed(key !== undefined)
      }
      const renewed = sealOf(present, company_id, { position, hash })
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

    /** The database is asked only after all is written, so that neither its answer nor its silence matters. */
    const addOwn = Effect.gen(function* () {
      const events = audit.ownEvents.all
      if (events.length === 0) return
      const places = events.flatMap(
        ({ companyId, hash, isSealed, position }): ReadonlyArray<AnchoredPlace> => {
          const last = known.places.get(companyId)?.last
          if (last?.position === position && last.hash === hash) return []
          // A trail that contradicts its anchors still does when this process has written more of it.
          const marks = marksOf(isSealed, last?.marks.includes("contradicting") === true)
          return [{ companyId, position, hash, marks }]
        }
      )
      if (places.length > 0) yield* add(places)
      audit.ownEvents.forget(events)
      const gone = yield* lost(events)
      yield* warned(
        "Audit trails are without events that this process has written",
        gone.map(({ companyId }) => companyId)
      )
    })

    const addEnds = Effect.gen(function* () {
      yield* readOn
      const isFirst = known.first === undefined
      const ends = yield* repo.ends
      const others = new Set(yield* contradicted(ends, known))
      const places = yield* Effect.forEach(ends, (end) =>
        Effect.map(
          isSealed(end),
          (sealed): AnchoredPlace => ({
            companyId: end.company_id,
            position: end.position,
            hash: end.hash,
            marks: marksOf(sealed, others.has(end.company_id))
          })
        )
      )
      yield* warned("Audit trails are not those that were anchored", [...others])
      const moved = places.filter((place) => {
        const last = known.places.get(place.companyId)?.last
        return last === undefined || writePlace(last) !== writePlace(place)
      })
      // The first anchor is always made, and before anything is sealed. From then on, a trail without a seal gets none by itself.
      if (isFirst || moved.length > 0) yield* add(moved)
      if (isFirst) {
        const older = ends.flatMap(({ company_id, seal }, index) => {
          const place = places[index]
          return seal === null && place !== undefined ? [{ company_id, place }] : []
        })
        yield* Effect.forEach(
          older,
          ({ company_id, place }) => audit.sealUp(company_id, [{ ...place, by: "anchored" }]),
          { discard: true }
        )
      } else {
        yield* warned(
          "Audit trails do not end with what doorlock has sealed",
          places.flatMap(({ companyId, marks }) => (marks.includes("unsealed") ? [companyId] : []))
        )
      }
    })

    const lookForInterference = Effect.flatMap(repo.interference, (found) =>
      found.length === 0
        ? Effect.void
        : Effect.logWarning("The audit tables are not as doorlock makes them").pipe(
            Effect.annotateLogs({ found: found.join(" ") })
          )
    )

    /** Logs a failure. The next anchoring makes up for it. */
    const logged = <E>(anchoring: Effect.Effect<void, E>): Effect.Effect<void> =>
      Effect.catchAllCause(anchoring, (cause) =>
        Effect.logWarning("The audit trails could not be anchored; it is tried again later", cause)
      )

    const within = <E>(anchoring: Effect.Effect<void, E>, patience: Duration.DurationInput) =>
      logged(
        Effect.timeoutFail(anchoring, {
          duration: patience,
          onTimeout: () => new AnchorsUnusable({ message: "The database or the anchors do not answer" })
        })
      )

    /**
     * Anchors the last events that this process has written, from memory, whether or not the database answers. Never fails.
     *
     * @param patience how long reading the anchors may take
     */
    const anchorOwn = (patience: Duration.DurationInput): Effect.Effect<void> =>
      Effect.zipRight(within(readOn, patience), logged(addOwn))

    /**
     * Anchors the trails that have grown according to the database, and then what this process has written and the database does not
     * have. Never fails.
     *
     * @param patience how long the database, and reading the anchors, may take
     */
    const anchor = (patience: Duration.DurationInput): Effect.Effect<void> =>
      within(lookForInterference, patience).pipe(
        Effect.zip(within(Effect.zipRight(addEnds, readOn), patience), { concurrent: true }),
        Effect.zipRight(logged(addOwn))
      )

    return { anchor, anchorOwn }
  })
}) {}
