import { Effect } from "effect"
import {
  eventsWaiting,
  workJobs,
  workOldest,
  workOutcomes,
  workPoison,
  workUnderWay
} from "../observability/metrics.ts"
import { backgroundAtPace } from "../shared/background.ts"
import { type Figures, StoredWorkRepo } from "./stored-repo.ts"

const byKind = <A extends { readonly kind: string }>(all: ReadonlyArray<A>, value: (one: A) => number) =>
  Object.fromEntries(all.map((one) => [`kind="${one.kind}"`, value(one)]))

/** Shows the work of these kinds in `/metrics` until the scope ends. */
export const reporting = (
  kinds: ReadonlyArray<string>,
  lanes: ReadonlyMap<string, { readonly kind: { readonly name: string }; readonly running: number }>
) =>
  Effect.gen(function* () {
    const repo = yield* StoredWorkRepo
    let stored: ReadonlyArray<Figures> = []
    let waiting = 0
    yield* workJobs.from(() => byKind(stored, ({ jobs }) => jobs))
    yield* workOldest.from(() => byKind(stored, ({ oldest }) => oldest ?? 0))
    yield* workPoison.from(() => byKind(stored, ({ poison }) => poison))
    yield* workUnderWay.from(() => {
      const held = [...lanes.values()]
      return byKind(
        kinds.map((kind) => ({ kind, own: held.filter((lane) => lane.kind.name === kind) })),
        ({ own }) => own.reduce((sum, { running }) => sum + running, 0)
      )
    })
    yield* eventsWaiting.from(() => waiting)
    for (const kind of kinds) {
      for (const outcome of ["done", "again", "poison"]) workOutcomes.add({ kind, outcome }, 0)
    }
    yield* backgroundAtPace(
      "work.figures",
      Effect.all([repo.figures(kinds), repo.eventsWaiting]).pipe(
        Effect.flatMap(([found, seconds]) =>
          Effect.sync(() => {
            stored = found
            waiting = seconds
          })
        ),
        Effect.catchAllCause((cause) => Effect.logDebug("The figures of the work cannot be read", cause)),
        Effect.as(undefined)
      )
    )
  })
