/** Callers that ask for one thing again and again while something else goes on, and what they are answered. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { RunningServer } from "../server.ts"
import { open } from "./raw.ts"

export interface GoodCallers {
  /** How many answers of which status there were so far. A caller who has none, or is cut off, counts once as "none" and gives up. */
  readonly answers: () => Readonly<Record<string, number>>
  /** How many answers each caller has had so far. */
  readonly each: () => ReadonlyArray<number>
}

/** Each on a connection of its own, with a short pause after each answer, until the scope closes. */
export const goodCallers = (
  server: Pick<RunningServer, "url">,
  request: string,
  callers: number
): Effect.Effect<GoodCallers, never, Scope.Scope> =>
  Effect.gen(function* () {
    const each = Array.from({ length: callers }, () => 0)
    const answers: Record<string, number> = {}
    const count = (what: string) => {
      answers[what] = (answers[what] ?? 0) + 1
    }
    yield* Effect.forEach(each, (_, caller) =>
      Effect.flatMap(open(server), (connection) =>
        Effect.gen(function* () {
          connection.write(request)
          const { status } = yield* connection.answer
          each[caller] = (each[caller] ?? 0) + 1
          count(`${status}`)
          yield* Effect.sleep("10 millis")
        }).pipe(
          Effect.forever,
          Effect.catchAllDefect(() => Effect.sync(() => count("none"))),
          Effect.forkScoped
        )
      )
    )
    return { answers: () => ({ ...answers }), each: () => [...each] }
  })
