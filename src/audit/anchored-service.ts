import { Effect, Stream } from "effect"
import * as Arr from "effect/Array"
import { pause } from "../limits/turn-of-others.ts"
import { AllPlaces, type AnchorTimes, LastPlaces, readAnchor } from "./anchor-model.ts"
import { AnchorStore, AnchorsUnusable } from "./anchor-store.ts"
import type { EventPlace } from "./chain-model.ts"
import { AuditRepo, type EndRow } from "./repo.ts"

const inChunks = <A, B>(
  places: ReadonlyArray<A>,
  ask: (some: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>>
): Effect.Effect<ReadonlyArray<B>> =>
  Effect.map(Effect.forEach(Arr.chunksOf(places, 1_000), ask), Arr.flatten)

/** Reads the anchors and compares them with the trails in the database. */
export class Anchored extends Effect.Service<Anchored>()("Anchored", {
  effect: Effect.gen(function* () {
    const repo = yield* AuditRepo
    const store = yield* AnchorStore

    /**
     * Adds the lines after the mark to `into`, and returns the last line's mark. Lets other work run after
     * each line. Fails if there are anchors but none is readable.
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

    const read = Effect.suspend(() => {
      const all = new AllPlaces()
      return Effect.as(take(all, undefined), all)
    })

    const lost = <A extends EventPlace>(places: ReadonlyArray<A>) => inChunks(places, repo.lost)

    /** The companies whose trail has no end, or lacks the event of its furthest anchor. */
    const contradicted = (ends: ReadonlyArray<EndRow>, { places }: LastPlaces) => {
      const byCompany = new Map(ends.map((end) => [end.company_id, end]))
      const known = [...places.values()].map(({ furthest }) => furthest)
      const endless = known.filter(({ companyId }) => !byCompany.has(companyId))
      const moved = known.filter(({ companyId, hash }) => (byCompany.get(companyId)?.hash ?? hash) !== hash)
      return Effect.map(lost(moved), (found) => [...endless, ...found].map(({ companyId }) => companyId))
    }

    /** The trails with an event more than two hours old after everything anchored. */
    const behind = (ends: ReadonlyArray<EndRow>, { places }: LastPlaces) => {
      const companies = new Set([...ends.map(({ company_id }) => company_id), ...places.keys()])
      const next = [...companies].map((companyId) => ({
        companyId,
        position: (places.get(companyId)?.furthest.position ?? 0) + 1
      }))
      return inChunks(next, repo.old)
    }

    /** What is wrong, as numbers of trails. Fails if anchors cannot be read or added. */
    const lack = Effect.gen(function* () {
      yield* store.check
      const last = new LastPlaces()
      yield* take(last, undefined)
      const ends = yield* repo.ends
      return {
        /** With events more than two hours old that no anchor covers. */
        trails: (yield* behind(ends, last)).length,
        contradicted: (yield* contradicted(ends, last)).length,
        unsealed: ends.filter(({ position, seal_position }) => position !== seal_position).length,
        first: last.first
      }
    })

    return { place: store.place, take, read, lost, contradicted, lack }
  })
}) {}
