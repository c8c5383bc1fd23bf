import { Effect, Stream } from "effect"
import { beginning, type Head, type Known, type KnownPlaces, keyOfSeal } from "./chain-model.ts"
import { type Fault, faultAtEnd, faultOf, faultOfSeal } from "./fault-model.ts"
import type { AuditRepo } from "./repo.ts"

/** Events read per statement. */
const stretchLength = 500

/** How far a trail has been read. */
interface Walked {
  readonly last: Head
  /** The sealed event, once it has been read. */
  readonly sealed: Head | undefined
}

const start: Walked = { last: beginning, sealed: undefined }

export interface TrailReport {
  readonly companyId: string
  /** How many, from the first on, form an intact chain. */
  readonly events: number
  /** The last of these events, for the operator to note. Null if there are none. */
  readonly head: Head | null
  readonly fault: Fault | null
}

/** A seal is valid if one of `sealKeys` made it. */
export const verificationOf = (repo: AuditRepo, sealKeys: ReadonlyArray<Uint8Array>) => {
  /** Reads a trail after `from`, up to the chain's first fault or its end. */
  const walk = Effect.fnUntraced(function* (companyId: string, known: ReadonlyArray<Known>, from = start) {
    let { last, sealed } = from
    const byPosition = Map.groupBy(known, ({ position }) => position)
    for (;;) {
      const { events, head, seal } = yield* repo.stretch(companyId, last.position, stretchLength)
      for (const event of events) {
        const fault = faultOf(last, event, byPosition.get(event.position))
        if (fault !== undefined) return { last, sealed, seal, fault, hasGoodSeal: false }
        last = { position: event.position, hash: event.hash }
        if (seal?.position === last.position) sealed = last
      }
      if (events.length === stretchLength) continue
      const hasGoodSeal =
        seal !== undefined &&
        sealed?.position === seal.position &&
        keyOfSeal(sealKeys, companyId, sealed, seal.seal) !== undefined
      return { last, sealed, seal, fault: faultAtEnd(last, head, known), hasGoodSeal }
    }
  })

  const verifyTrail = (companyId: string, known: ReadonlyArray<Known>): Effect.Effect<TrailReport> =>
    Effect.map(walk(companyId, known), ({ fault, last, seal, hasGoodSeal }) => {
      const found = fault ?? faultOfSeal(last, seal, hasGoodSeal)
      return {
        companyId,
        events: last.position,
        head: last.position === 0 ? null : last,
        fault: found ?? null
      }
    })

  /**
   * Recomputes the hashes of every trail, or of one company's, and reports the first fault of each. Anybody
   * who can write to the whole database can build a new chain, but not its seal. Only known places reveal
   * that a trail was reset to an earlier state. Events may be written meanwhile.
   *
   * @param known noted or anchored places, by company
   */
  const verify = (companyId?: string, known: KnownPlaces = new Map()): Stream.Stream<TrailReport> =>
    Stream.fromIterableEffect(
      companyId === undefined
        ? Effect.map(repo.companies, (found) => new Set([...found, ...known.keys()]))
        : Effect.succeed([companyId])
    ).pipe(Stream.mapEffect((id) => verifyTrail(id, known.get(id) ?? [])))

  return { walk, verify }
}
