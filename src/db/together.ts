import { Effect, Exit, FiberSet, Option, type Scope } from "effect"
import { failsAgain } from "./sql.ts"

interface Call<Question, Answer> {
  readonly question: Question
  readonly answer: (exit: Exit.Exit<Option.Option<Answer>>) => void
  /** The caller no longer waits. */
  hasLeft: boolean
}

/** Calls whose questions are answered one after another. */
interface Lane<Question, Answer> {
  readonly key: unknown
  readonly calls: Array<Call<Question, Answer>>
}

/** A question of a statement, and the calls that it answers: more than one if they were merged. */
interface Share<Question, Answer> {
  readonly question: Question
  readonly calls: ReadonlyArray<Call<Question, Answer>>
  readonly lane: Lane<Question, Answer>
}

export interface TogetherOptions<Question> {
  /** Questions of one lane are answered one after another. By default, each question has its own lane. */
  readonly laneOf?: (question: Question) => string
  /** One question in place of two of one lane, in their order; undefined if there is none. Its answer is the answer to both. */
  readonly merge?: (first: Question, second: Question) => Question | undefined
  /** The size of a question (bytes); by default, questions count as small. */
  readonly sizeOf?: (question: Question) => number
  /** A statement that answers several questions may leave some out, such as those whose row is locked. They are asked again, each alone. */
  readonly mayLeaveOut?: boolean
}

/** The most questions that one statement answers. */
const most = 200

/** The most bytes that the questions of one statement have, unless one question alone has more. */
const mostBytes = 1_048_576

/** How many statements run at once. Further questions wait for the next one. */
const atOnce = 2

/** How many questions of a statement are asked again at once. They may wait for locks, on connections that others need. */
const againAtOnce = 2

/** A statement that takes longer (ms) may be waiting for a lock. From then on, it does not count as running. */
const slow = 50

/**
 * Answers questions of many fibers with few statements, each outside any transaction: those that come while statements run share the next one.
 * A statement that waits for a lock delays only its own questions, and those of their lanes. If Postgres refuses a statement, its questions are
 * asked one by one, so that only the one at fault fails. A question whose caller has left before its statement began is not asked. Ends with the scope.
 *
 * @param statement returns the answers by the place of their question; a question may have none
 */
export const together = <Question, Answer>(
  statement: (questions: ReadonlyArray<Question>) => Effect.Effect<ReadonlyMap<number, Answer>>,
  { laneOf, mayLeaveOut = false, merge, sizeOf = () => 0 }: TogetherOptions<Question> = {}
): Effect.Effect<(question: Question) => Effect.Effect<Option.Option<Answer>>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const run = yield* FiberSet.makeRuntime<never, void>()
    const lanes = new Map<unknown, Lane<Question, Answer>>()
    /** Lanes that have calls, of which none is being answered. */
    const ready: Array<Lane<Question, Answer>> = []
    let running = 0
    let isStarting = false

    /** Takes the next calls of a lane that one question can stand for. */
    const nextOf = (lane: Lane<Question, Answer>): Share<Question, Answer> | undefined => {
      const calls: Array<Call<Question, Answer>> = []
      let question: Question | undefined
      let taken = 0
      for (const call of lane.calls) {
        if (!call.hasLeft) {
          const merged = question === undefined ? call.question : merge?.(question, call.question)
          if (merged === undefined || (calls.length > 0 && sizeOf(merged) > mostBytes)) break
          question = merged
          calls.push(call)
        }
        taken++
      }
      lane.calls.splice(0, taken)
      return question === undefined ? undefined : { question, calls, lane }
    }

    /** The questions of the next statement. */
    const next = (): ReadonlyArray<Share<Question, Answer>> => {
      const shares: Array<Share<Question, Answer>> = []
      let bytes = 0
      let looked = 0
      for (const lane of ready) {
        if (shares.length === most || bytes > mostBytes) break
        looked++
        const share = nextOf(lane)
        if (share === undefined) lanes.delete(lane.key)
        else {
          shares.push(share)
          bytes += sizeOf(share.question)
        }
      }
      ready.splice(0, looked)
      return shares
    }

    const end = (lane: Lane<Question, Answer>): void => {
      if (lane.calls.length === 0) lanes.delete(lane.key)
      else ready.push(lane)
      start()
    }

    const settle = (
      { calls, lane }: Share<Question, Answer>,
      exit: Exit.Exit<Option.Option<Answer>>
    ): void => {
      for (const call of calls) call.answer(exit)
      end(lane)
    }

    const answerOf = (exit: Exit.Exit<ReadonlyMap<number, Answer>>, place: number) =>
      Exit.map(exit, (answers) => Option.fromNullable(answers.get(place)))

    /** Asks for each call by itself. */
    const askAgain = ({ calls, lane }: Share<Question, Answer>): Effect.Effect<void> =>
      Effect.forEach(
        calls,
        ({ answer, question }) =>
          Effect.map(Effect.exit(statement([question])), (exit) => answer(answerOf(exit, 0))),
        { discard: true }
      ).pipe(Effect.map(() => end(lane)))

    const answer = (shares: ReadonlyArray<Share<Question, Answer>>): Effect.Effect<void> =>
      Effect.flatMap(Effect.exit(statement(shares.map(({ question }) => question))), (exit) => {
        const wasRefused = Exit.isFailure(exit) && failsAgain(exit.cause)
        const again = shares.filter((share, place) => {
          const isAlone = shares.length === 1 && share.calls.length === 1
          const isLeftOut = mayLeaveOut && Exit.isSuccess(exit) && !exit.value.has(place)
          if (!isAlone && (wasRefused || isLeftOut)) return true
          settle(share, answerOf(exit, place))
          return false
        })
        return again.length === 0
          ? Effect.void
          : Effect.forEach(again, askAgain, { concurrency: againAtOnce, discard: true })
      })

    const round = Effect.suspend(() => {
      isStarting = false
      let counts = true
      const makeRoom = () => {
        if (!counts) return
        counts = false
        running--
        start()
      }
      const shares = next()
      start()
      const timer = setTimeout(makeRoom, slow)
      return Effect.ensuring(
        shares.length === 0 ? Effect.void : answer(shares),
        Effect.sync(() => {
          clearTimeout(timer)
          makeRoom()
        })
      )
    })

    const start = (): void => {
      if (isStarting || running === atOnce || ready.length === 0) return
      isStarting = true
      running++
      // Fibers that are about to ask do so first.
      run(Effect.zipRight(Effect.yieldNow(), round))
    }

    return (question) =>
      Effect.async((resume) => {
        const call: Call<Question, Answer> = { question, answer: resume, hasLeft: false }
        const key = laneOf === undefined ? call : laneOf(question)
        const lane = lanes.get(key)
        if (lane === undefined) {
          const added = { key, calls: [call] }
          lanes.set(key, added)
          ready.push(added)
        } else lane.calls.push(call)
        start()
        return Effect.sync(() => {
          call.hasLeft = true
        })
      })
  })
