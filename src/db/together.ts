import { Deferred, Effect, Exit, FiberSet, Option, type Scope } from "effect"
import { failsAgain } from "./sql.ts"

interface Call<Question, Answer> {
  readonly question: Question
  readonly answered: Deferred.Deferred<Option.Option<Answer>>
}

/** The most questions that one statement answers. */
const most = 200

/** How many statements run at once. Further questions wait for the next one. */
const atOnce = 2

/** A statement that takes longer may be waiting for a lock. From then on, it does not count as running. */
const slow = "50 millis"

/**
 * Answers questions of many fibers with few statements, each outside any transaction: those that come while statements run share the next one.
 * A statement that waits for a lock delays only its own questions. If Postgres refuses a statement, its questions are asked one by one, so that only the one at fault fails. Ends with the scope.
 *
 * @param statement returns the answers by the place of their question; a question may have none
 */
export const together = <Question, Answer>(
  statement: (questions: ReadonlyArray<Question>) => Effect.Effect<ReadonlyMap<number, Answer>>
): Effect.Effect<(question: Question) => Effect.Effect<Option.Option<Answer>>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const run = yield* FiberSet.makeRuntime<never, void>()
    const waiting: Array<Call<Question, Answer>> = []
    let running = 0
    let isStarting = false

    const answer = (asked: ReadonlyArray<Call<Question, Answer>>): Effect.Effect<void> =>
      Effect.flatMap(Effect.exit(statement(asked.map(({ question }) => question))), (exit) =>
        asked.length > 1 && Exit.isFailure(exit) && failsAgain(exit.cause)
          ? Effect.forEach(asked, (one) => answer([one]), { discard: true })
          : Effect.forEach(
              asked,
              ({ answered }, place) =>
                Deferred.done(
                  answered,
                  Exit.map(exit, (answers) => Option.fromNullable(answers.get(place)))
                ),
              { discard: true }
            )
      )

    const round = Effect.suspend(() => {
      isStarting = false
      const asked = waiting.splice(0, most)
      let counts = true
      const makeRoom = Effect.sync(() => {
        if (!counts) return
        counts = false
        running--
        start()
      })
      start()
      return Effect.fork(Effect.delay(makeRoom, slow)).pipe(
        Effect.zipRight(answer(asked)),
        Effect.ensuring(makeRoom)
      )
    })

    const start = () => {
      if (isStarting || running === atOnce || waiting.length === 0) return
      isStarting = true
      running++
      // Fibers that are about to ask do so first.
      run(Effect.zipRight(Effect.yieldNow(), round))
    }

    return (question) =>
      Effect.flatMap(Deferred.make<Option.Option<Answer>>(), (answered) => {
        waiting.push({ question, answered })
        start()
        return Deferred.await(answered)
      })
  })
