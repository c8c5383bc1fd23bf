/** Clients that repeat a request while something else happens, and the responses they get. */
import { Effect, type Scope } from "effect"
import type { RunningServer } from "../server.ts"
import { open } from "./raw.ts"

export interface GoodCallers {
  /**
   * The number of responses by status. A client that gets none or is cut off counts once as "none" and stops.
   */
  readonly answers: () => Readonly<Record<string, number>>
  /** The number of responses with status 200 that each client has received. */
  readonly each: () => ReadonlyArray<number>
}

/** Each client uses its own connection and pauses briefly after each response, until the scope closes. */
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
          if (status === 200) each[caller] = (each[caller] ?? 0) + 1
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
