import { Effect, Stream } from "effect"
import * as Arr from "effect/Array"
import { pause } from "../limits/turn-of-others.ts"
import { Anchors } from "./anchor-model.ts"
import { AnchorStore, AnchorsUnusable } from "./anchor-store.ts"
import { furthestOf } from "./chain-model.ts"
import { AuditRepo } from "./repo.ts"

/** Companies that one statement asks about. */
const companiesAtOnce = 1_000

/** Reads the anchors. */
export class Anchored extends Effect.Service<Anchored>()("Anchored", {
  effect: Effect.gen(function* () {
    const repo = yield* AuditRepo
    const { check, lines, place } = yield* AnchorStore

    /** Lets other work run after each line. Fails if there are anchors but none is readable. */
    const read = Effect.suspend(() => {
      const anchors = new Anchors()
      return lines.pipe(
        Stream.filter((line) => line !== ""),
        Stream.runForEach((line) =>
          Effect.zipRight(
            Effect.sync(() => anchors.addLine(line)),
            pause
          )
        ),
        Effect.as(anchors),
        Effect.filterOrFail(
          ({ first, unreadable }) => first !== undefined || unreadable === 0,
          () => new AnchorsUnusable({ message: `None of the anchors in ${place} can be read` })
        )
      )
    })

    /** How many trails have an event more than two hours old after everything anchored. Fails if anchors cannot be read or added. */
    const behind = Effect.gen(function* () {
      yield* check
      const { first, places } = yield* read
      const next = (yield* repo.ends).map(({ company_id: companyId }) => ({
        companyId,
        position: furthestOf(places.get(companyId) ?? []) + 1
      }))
      const late = yield* Effect.forEach(Arr.chunksOf(next, companiesAtOnce), repo.old)
      return { first, trails: late.flat().length }
    })

    return { place, read, behind }
  })
}) {}
