import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { pause } from "../limits/turn-of-others.ts"
import { sha256Text } from "../secrets/digest.ts"
import { SecretKey } from "../secrets/secret-key.ts"
import {
  AllPlaces,
  type AnchoredPlace,
  type AnchorTimes,
  LastPlaces,
  readAnchor,
  writeAnchor,
  writePlace
} from "./anchor-model.ts"
import { AnchorStore, AnchorsUnusable } from "./anchor-store.ts"
import { keyOfSeal, sealOf } from "./chain-model.ts"
import { AuditRepo, type EndRow, type EventPlace } from "./repo.ts"
import { Audit } from "./service.ts"

/** Trails of which the log says more than their number, at most. */
const loggedTrails = 100

/** Places that the database is asked about at once. */
const askedAtOnce = 1_000

/** What is remembered outside the database of the trails of companies. */
export class Anchored extends Effect.Service<Anchored>()("Anchored", {
  effect: Effect.gen(function* () {
    const repo = yield* AuditRepo
    const store = yield* AnchorStore

    /**
     * Has `into` take in what was added after the mark, and says up to where. Others have their turn after each line. Fails where
     * none of the anchors that there are can be read: that is not the same as none.
     */
    const take = <A extends AnchorTimes>(into: A, after: string | undefined) =>
      store.since(after).pipe(
        Stream.runFoldEffect(after, (_, { mark, text }) => {
          into.take(readAnchor(text))
          return Effect.as(pause, mark)
        }),
        Effect.filterOrFail(
          () => into.first !== undefined || into.unreadable === 0,
          () => new AnchorsUnusable({ message: `None of the anchors in ${store.place} can be read` })
        )
      )

    /** All that anchors say. */
    const read = Effect.suspend(() => {
      const all = new AllPlaces()
      return Effect.as(take(all, undefined), all)
    })

    /** Of those places in the trails of companies, the ones whose event is not there any more, or is another. */
    const lost = <A extends EventPlace>(places: ReadonlyArray<A>) =>
      Effect.map(
        Effect.forEach(Chunk.chunksOf(Chunk.fromIterable(places), askedAtOnce), (some) =>
          repo.lost(Chunk.toReadonlyArray(some))
        ),
        (found) => found.flat()
      )

    /** The companies whose trail is not the one that was anchored, or has no end, as far as its end and the furthest place tell. */
    const contradicted = (ends: ReadonlyArray<EndRow>, { places }: LastPlaces) => {
      const byCompany = new Map(ends.map((end) => [end.company_id, end]))
      const known = [...places.values()].map(({ furthest }) => furthest)
      const endless = known.filter(({ companyId }) => !byCompany.has(companyId))
      const moved = known.filter(({ companyId, hash }) => (byCompany.get(companyId)?.hash ?? hash) !== hash)
      return Effect.map(lost(moved), (found) => [...endless, ...found].map(({ companyId }) => companyId))
    }

    /** Of which trails an event of more than two hours ago comes after all that was anchored. */
    const behind = (ends: ReadonlyArray<EndRow>, { places }: LastPlaces) => {
      const companies = new Set([...ends.map(({ company_id }) => company_id), ...places.keys()])
      const next = [...companies].map((companyId) => ({
        companyId,
        position: (places.get(companyId)?.furthest.position ?? 0) + 1
      }))
      return Effect.map(
        Effect.forEach(Chunk.chunksOf(Chunk.fromIterable(next), askedAtOnce), (some) =>
          repo.old(Chunk.toReadonlyArray(some))
        ),
        (found) => found.flat()
      )
    }

    /**
     * What is in the way of reading the trails as they are. How many trails have events of more than two hours ago that no anchor has,
     * how many are not those that were anchored, and how many do not end with what was sealed. Fails when anchors cannot be read or
     * added.
     */
    const lack = Effect.gen(function* () {
      yield* store.check
      const last = new LastPlaces()
      yield* take(last, undefined)
      const ends = yield* repo.ends
      return {
        interference: yield* repo.interference,
        trails: (yield* behind(ends, last)).length,
        contradicted: (yield* contradicted(ends, last)).length,
        unsealed: ends.filter(({ position, seal_position }) => position !== seal_position).length,
        first: last.first
      }
    })

    return { place: store.place, interference: repo.interference, take, read, lost, contradicted, lack }
  })
}) {}

const warned = (sentence: string, companies: ReadonlyArray<string>): Effect.Effect<void> =>
  companies.length === 0
    ? Effect.void
    : Effect.logWarning(`${sentence}; audit verify says more`).pipe(
        Effect.annotateLogs({
          trails: companies.length,
          companies: companies.slice(0, loggedTrails).join(" ")
        })
      )

/**
 * Remembers outside the database where the trails of companies end (docs/audit.md), so that a tail that was cut off, a trail that was
 * put back with an older seal, and a company that is gone are found. Several processes may do so at once: an anchor says what is so, and
 * takes nothing from another.
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
      // As long as there is none it is begun anew: somebody may have put what cannot be read out of the way.
      if (known.first === undefined) {
        known = new LastPlaces()
        readUpTo = undefined
      }
      return Effect.map(take(known, readUpTo), (mark) => {
        readUpTo = mark
      })
    })

    /** Whether the trail ends with what is sealed. A seal under the previous key is replaced by one under the present. */
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

    /** The database is asked only once all is written: what it says of these events does not matter, nor whether it answers. */
    const addOwn = Effect.gen(function* () {
      const events = yield* audit.ownEvents
      if (events.length === 0) return
      const places = events.flatMap(
        ({ companyId, hash, isSealed, position }): ReadonlyArray<AnchoredPlace> => {
          const last = known.places.get(companyId)?.last
          if (last?.position === position && last.hash === hash) return []
          const marks = [
            ...(isSealed ? [] : ["unsealed" as const]),
            // The trail goes on that was not the one that was anchored: as long as its end does.
            ...(last?.marks.includes("contradicting") ? ["contradicting" as const] : [])
          ]
          return [{ companyId, position, hash, marks }]
        }
      )
      if (places.length > 0) yield* add(places)
      yield* audit.forget(events)
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
            marks: [
              ...(sealed ? [] : ["unsealed" as const]),
              ...(others.has(end.company_id) ? ["contradicting" as const] : [])
            ]
          })
        )
      )
      yield* warned("Audit trails are not those that were anchored", [...others])
      const moved = places.filter((place) => {
        const last = known.places.get(place.companyId)?.last
        return last === undefined || writePlace(last) !== writePlace(place)
      })
      // The first is made in any case, and before anything is sealed: from then on, what has no seal gets none by itself.
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

    /** What cannot be done is logged, and done the next time. */
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
     * Anchors the last events that this process has written, from memory: whatever the database says, and though it says nothing.
     * Never fails.
     *
     * @param patience how long what was anchored so far is waited for
     */
    const anchorOwn = (patience: Duration.DurationInput): Effect.Effect<void> =>
      Effect.zipRight(within(readOn, patience), logged(addOwn))

    /**
     * Anchors the trails that have moved on, by the database's account, and then likewise what this process has written and that is
     * not in it. Never fails.
     *
     * @param patience how long the database, and what was anchored so far, are waited for
     */
    const anchor = (patience: Duration.DurationInput): Effect.Effect<void> =>
      within(lookForInterference, patience).pipe(
        Effect.zip(within(Effect.zipRight(addEnds, readOn), patience), { concurrent: true }),
        Effect.zipRight(logged(addOwn))
      )

    return { anchor, anchorOwn }
  })
}) {}
