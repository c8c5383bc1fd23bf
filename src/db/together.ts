import { Deferred, Effect, Exit, Option, Queue, type Scope } from "effect"
import { failsAgain } from "./sql.ts"

interface Call<Question, Answer> {
  readonly question: Question
  readonly answered: Deferred.Deferred<Option.Option<Answer>>
}

/** The most questions that one statement answers. */
const most = 200

/** How many statements run at once. Further questions wait for the next one. */
const atOnce = 2

/**
 * Answers questions of many fibers with few statements, each outside any transaction: those that come while statements run share the next one.
 * If Postgres refuses a statement, its questions are asked one by one, so that only the one at fault fails. Ends with the scope.
 *
 * @param statement returns the answers by the place of their question; a question may have none
 */
export const together = <Question, Answer>(
  statement: (questions: ReadonlyArray<Question>) => Effect.Effect<ReadonlyMap<number, Answer>>
): Effect.Effect<(question: Question) => Effect.Effect<Option.Option<Answer>>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const calls = yield* Queue.unbounded<Call<Question, Answer>>()

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

    const round = Effect.gen(function* () {
      const first = yield* Queue.take(calls)
      // Fibers that are about to ask do so now.
      yield* Effect.yieldNow()
      yield* answer([first, ...(yield* Queue.takeUpTo(calls, most - 1))])
    })
    yield* Effect.replicateEffect(Effect.forkScoped(Effect.forever(round)), atOnce)

    return (question) =>
      Effect.flatMap(Deferred.make<Option.Option<Answer>>(), (answered) =>
        Effect.zipRight(Queue.offer(calls, { question, answered }), Deferred.await(answered))
      )
  })
