import { Cause, Chunk, Effect, Exit, FiberSet, Option, type Scope } from "effect"
import { Timing } from "../shared/timing.ts"
import { isRepeatable } from "./driver/index.ts"
import { failsAgain } from "./sql.ts"

interface Call<Question, Answer> {
  readonly question: Question
  readonly answer: (exit: Exit.Exit<Option.Option<Answer>>) => void
  /** The caller no longer waits. */
  hasLeft: boolean
  /** It was asked with others, without an answer of its own. */
  isAlone: boolean
}

/** Calls whose questions are answered one after another. */
interface Lane<Question, Answer> {
  readonly key: unknown
  calls: Array<Call<Question, Answer>>
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
  /** A statement answers questions of one kind. By default, all are of one kind. */
  readonly kindOf?: (question: Question) => string
  /** Merges two waiting questions of a lane, the earlier one first; undefined if they cannot be merged. Both callers get the answer to the merged one. */
  readonly merge?: (first: Question, second: Question) => Question | undefined
  /** The size of a question (bytes); by default, questions count as small. */
  readonly sizeOf?: (question: Question) => number
  /** A statement that answers several questions may leave some out, such as those whose row is locked. They are asked again, each alone. */
  readonly mayLeaveOut?: boolean
}

/** The most questions that one statement answers, and the most calls that one question stands for. */
const most = { questions: 200, merged: 32 } as const

/** The most bytes that the questions of one statement have, unless one question alone has more. */
const mostBytes = 1_048_576

/** How many statements run at once. Further questions wait for the next one. */
const atOnce = 2

/** Whether Postgres has rolled a statement back for the sake of one of its questions, so that the others may be asked again. */
const isOfOne = (cause: Cause.Cause<unknown>): boolean =>
  failsAgain(cause) || Chunk.some(Cause.defects(cause), isRepeatable)

/**
 * Answers questions of many fibers with few statements, each outside any transaction: those that come while statements run share the next one.
 * A statement that waits for a lock delays only its own questions, and those of their lanes. If Postgres refuses a statement, its questions are
 * asked one by one, so that only the one at fault fails. If a statement gets no answer, what waits in its lanes fails with it: they wait for the
 * same row. A question whose caller has left before its statement began is not asked. Ends with the scope.
 *
 * @param statement returns the answers by the place of their question; a question may have none
 */
export const together = <Question, Answer>(
  statement: (questions: ReadonlyArray<Question>) => Effect.Effect<ReadonlyMap<number, Answer>>,
  { kindOf = () => "", laneOf, mayLeaveOut = false, merge, sizeOf = () => 0 }: TogetherOptions<Question> = {}
): Effect.Effect<(question: Question) => Effect.Effect<Option.Option<Answer>>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const timing = yield* Timing
    /** Milliseconds after which a statement may be waiting for a lock. From then on, it does not count as running. */
    const slow = timing.pause("db.slow_statement")
    const run = yield* FiberSet.makeRuntime<never, void>()
    const lanes = new Map<unknown, Lane<Question, Answer>>()
    /** Lanes that have calls, of which none is being answered. */
    let ready: Array<Lane<Question, Answer>> = []
    let running = 0
    let isStarting = false

    /** Takes the next calls of a lane that one question can stand for. */
    const takeFrom = (lane: Lane<Question, Answer>): Share<Question, Answer> | undefined => {
      const calls: Array<Call<Question, Answer>> = []
      let question: Question | undefined
      let taken = 0
      for (const call of lane.calls) {
        if (!call.hasLeft) {
          if (question === undefined) question = call.question
          else {
            if (call.isAlone || calls[0]?.isAlone === true || calls.length === most.merged) break
            const merged = merge?.(question, call.question)
            if (merged === undefined || sizeOf(merged) > mostBytes) break
            question = merged
          }
          calls.push(call)
        }
        taken++
      }
      lane.calls.splice(0, taken)
      return question === undefined ? undefined : { question, calls, lane }
    }

    /** The questions of the next statement: of one kind, or a single one that has to be asked alone. */
    const next = (): ReadonlyArray<Share<Question, Answer>> => {
      const shares: Array<Share<Question, Answer>> = []
      const waiting: Array<Lane<Question, Answer>> = []
      let kind: string | undefined
      let bytes = 0
      let isFull = false
      for (const lane of ready) {
        const first = lane.calls.find(({ hasLeft }) => !hasLeft)
        if (first === undefined) {
          lanes.delete(lane.key)
          continue
        }
        const own = kindOf(first.question)
        isFull ||= shares.length === most.questions || bytes > mostBytes
        const share =
          isFull || (shares.length > 0 && (first.isAlone || own !== kind)) ? undefined : takeFrom(lane)
        if (share === undefined) waiting.push(lane)
        else {
          kind = own
          shares.push(share)
          bytes += sizeOf(share.question)
          isFull = first.isAlone
        }
      }
      ready = waiting
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
      const isUnanswered = Exit.isFailure(exit) && !isOfOne(exit.cause)
      for (const call of isUnanswered ? [...calls, ...lane.calls.splice(0)] : calls) call.answer(exit)
      end(lane)
    }

    /** Puts calls back, each to be asked alone. */
    const putBack = ({ calls, lane }: Share<Question, Answer>): void => {
      for (const call of calls) call.isAlone = true
      lane.calls = [...calls, ...lane.calls]
      end(lane)
    }

    const answer = (shares: ReadonlyArray<Share<Question, Answer>>): Effect.Effect<void> =>
      Effect.map(
        Effect.exit(Effect.suspend(() => statement(shares.map(({ question }) => question)))),
        (exit) => {
          const wasOfOne = Exit.isFailure(exit) && isOfOne(exit.cause)
          for (const [place, share] of shares.entries()) {
            const isSingle = shares.length === 1 && share.calls.length === 1
            const isLeftOut = mayLeaveOut && Exit.isSuccess(exit) && !exit.value.has(place)
            if (!isSingle && (wasOfOne || isLeftOut)) putBack(share)
            else
              settle(
                share,
                Exit.map(exit, (answers) => Option.fromNullable(answers.get(place)))
              )
          }
        }
      )

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
      const timer = timing.after(slow, makeRoom)
      return Effect.ensuring(
        shares.length === 0 ? Effect.void : answer(shares),
        Effect.sync(() => {
          timer.cancel()
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
        const call: Call<Question, Answer> = { question, answer: resume, hasLeft: false, isAlone: false }
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
