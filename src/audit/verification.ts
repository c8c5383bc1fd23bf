import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { beginning, type Head, type Known, type KnownPlaces, keyOfSeal } from "./chain-model.ts"
import { type Fault, faultAtEnd, faultOf, faultOfSeal, withUnsealed } from "./fault-model.ts"
import type { AuditRepo } from "./repo.ts"

/** Events that are read at once when a trail is verified. */
const stretchLength = 500

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

/** Reads trails, and finds where they are not what was written. `sealKeys` are those whose seals are good. */
export const verificationOf = (repo: AuditRepo, sealKeys: ReadonlyArray<Uint8Array>) => {
  /** Reads a trail from `from` on, up to the first fault of the chain, or its end. */
  const walk = Effect.fnUntraced(function* (companyId: string, known: ReadonlyArray<Known>, from = start) {
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
    Effect.map(walk(companyId, known), ({ fault, last, seal, hasGoodSeal, unanchoredSince }) => {
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

  return { walk, verify }
}
