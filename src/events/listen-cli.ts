/** Follows a feed and forwards each event to an address, signed like a delivery. */
import { Clock, Effect } from "effect"
import { version } from "../../package.json"
import { CommandFailed, exitCodes } from "../cli/failures.ts"
import { reasonOf } from "../cli/installation.ts"
import { type Format, OutputFormat, oneLine, writeAnswer, writeAside } from "../cli/output.ts"
import { Timing } from "../shared/timing.ts"
import { newSecret, type Sign, secondsOf, signedHeaders, signWith } from "../webhooks/signature.ts"
import { type FeedEvent, readEvent, readFeed } from "./feed-cli.ts"
import { type ListenState, readListenState, writeListenState } from "./listen-state-cli.ts"

interface Listening {
  /** The installation's address, without a trailing slash. */
  readonly url: string
  readonly key: string
  /** A type, a prefix such as `kyc.*`, or undefined for all. */
  readonly type: string | undefined
  /** The receiver's address. */
  readonly forward: string
  /** Where the cursor and the secret are stored. */
  readonly file: string
}

/** Milliseconds after which the cursor is stored even without new events, so that it does not become too old. */
const longestUnstored = 3_600_000

interface Answered {
  readonly status: number
  readonly millis: number
}

/** Sends one attempt; the body of the answer is not read. Fails with a sentence if there is no answer. */
const attempt = (forward: string, sign: Sign, event: FeedEvent): Effect.Effect<Answered, string> =>
  Effect.gen(function* () {
    const body = JSON.stringify(event)
    const { timeout, withinOr } = yield* Timing
    const begin = yield* Clock.currentTimeMillis
    const status = yield* withinOr(
      "cli.receiver",
      Effect.tryPromise({
        try: async (signal) => {
          const response = await fetch(forward, {
            method: "POST",
            body,
            headers: {
              "content-type": "application/json",
              "user-agent": `doorlock/${version}`,
              ...signedHeaders(sign, event.id, secondsOf(begin), body)
            },
            redirect: "manual",
            signal
          })
          await response.body?.cancel()
          return response.status
        },
        catch: (error) => `${forward} gives no answer: ${reasonOf(error)}`
      }),
      () => `${forward} gives no answer in ${timeout("cli.receiver") / 1_000} s`
    )
    return { status, millis: (yield* Clock.currentTimeMillis) - begin }
  })

/** How an event was answered, as JSON (`reported`) and as a line of text (`lineOf`). */
const reported = ({ id, timestamp, type }: FeedEvent, { millis, status }: Answered) => ({
  id,
  type,
  timestamp,
  status,
  ms: millis
})
const lineOf = (
  { id, timestamp, type }: FeedEvent,
  { millis, status }: Answered,
  paint: Format["paint"]
): string => {
  const answer = paint(status >= 200 && status < 300 ? "green" : "red", String(status))
  return `${oneLine(`${timestamp}  ${type.padEnd(34)}  ${id}`)}  ${answer} in ${millis} ms`
}

/**
 * Tries again without end. Says on standard error why it fails, once for each reason, and that `address` answers again.
 *
 * @param sentenceOf undefined for an error that will not pass
 */
const persistent = <A, E, R>(
  address: string,
  effect: Effect.Effect<A, E, R>,
  sentenceOf: (error: E) => string | undefined
) =>
  Effect.flatMap(Timing, ({ doubling }) => {
    let said: string | undefined
    return effect.pipe(
      Effect.tapError((error) => {
        const sentence = sentenceOf(error)
        if (sentence === undefined || sentence === said) return Effect.void
        said = sentence
        return writeAside(`${sentence}; trying again.\n`)
      }),
      // Without end: a developer who has started the receiver again waits for it.
      Effect.retry({
        schedule: doubling("cli.listen_retry", "cli.longest_listen_retry"),
        while: (error) => sentenceOf(error) !== undefined
      }),
      Effect.tap(() => (said === undefined ? Effect.void : writeAside(`${address} answers again.\n`)))
    )
  })

/** The page, as soon as the installation answers. */
const page = ({ key, type, url }: Listening, query: Readonly<Record<string, string | undefined>>) =>
  persistent(url, readFeed({ url, key }, { type, limit: "100", ...query }), (error) =>
    error._tag === "FeedUnavailable" ? error.message : undefined
  ).pipe(Effect.catchTag("FeedUnavailable", Effect.die))

/** The state of the last run, or a new one that begins with the events after now. Prints the secret. */
const begin = (listening: Listening) =>
  Effect.gen(function* () {
    const { file, forward, url } = listening
    const known = yield* readListenState(file)
    const state = known ?? {
      secret: newSecret("v1"),
      cursor: (yield* page(listening, { after: "now" })).next_cursor
    }
    if (known === undefined) yield* writeListenState(file, state)
    yield* writeAside(`Events of ${url} are sent to ${forward}. Signing secret: ${state.secret}\n`)
    return state
  })

/** Sends one event again, with the secret of the other runs. Fails with `CommandFailed` if there is no answer. */
export const sendAgain = (listening: Listening, id: string) =>
  Effect.gen(function* () {
    const event = yield* readEvent(listening, id)
    const { secret } = yield* begin(listening)
    const answered = yield* Effect.mapError(
      attempt(listening.forward, signWith([secret]), event),
      (sentence) => new CommandFailed({ exitCode: exitCodes.unavailable, message: `${sentence}.` })
    )
    return {
      value: reported(event, answered),
      words: (paint: Format["paint"]) => lineOf(event, answered, paint)
    }
  })

/**
 * Forwards events until it is interrupted. It begins with the events after the first run's start, and later where the last run stopped:
 * no event is left out, and only the last one can be sent again. Any answer of the receiver moves on to the next event.
 */
export const listen = (listening: Listening) =>
  Effect.gen(function* () {
    const { file, forward } = listening
    const start = yield* begin(listening)
    const sign = signWith([start.secret])
    const { json, paint } = yield* OutputFormat
    const { sleep } = yield* Timing

    const forwarded = (event: FeedEvent) =>
      persistent(forward, attempt(forward, sign, event), (sentence) => sentence).pipe(
        Effect.flatMap((answered) =>
          writeAnswer(
            `${json ? JSON.stringify(reported(event, answered)) : lineOf(event, answered, paint)}\n`
          )
        ),
        Effect.orDie
      )

    /** The page after the cursor; from the oldest stored event if the cursor is too old. */
    const next = (cursor: string) =>
      Effect.catchTag(page(listening, { after: cursor }), "FeedCursorTooOld", () =>
        Effect.zipRight(
          writeAside(
            "The feed no longer has what follows the last event: more than 30 days have passed, or a backup was restored.\n"
          ),
          page(listening, {})
        )
      )

    const round = Effect.fnUntraced(function* (state: ListenState & { readonly stored: number }) {
      const { cursor, last, secret } = state
      const { events, has_more, next_cursor } = yield* next(cursor)
      const done = events.findIndex(({ id }) => id === last) + 1
      yield* Effect.forEach(
        events.slice(done),
        (event) =>
          Effect.zipRight(forwarded(event), writeListenState(file, { secret, cursor, last: event.id })),
        { discard: true }
      )
      const now = yield* Clock.currentTimeMillis
      const isStored = events.length > 0 || now - state.stored > longestUnstored
      if (isStored) yield* writeListenState(file, { secret, cursor: next_cursor })
      if (!has_more) yield* sleep("cli.feed")
      return { secret, cursor: next_cursor, stored: isStored ? now : state.stored }
    })
    yield* Effect.iterate(
      { ...start, stored: yield* Clock.currentTimeMillis },
      { while: () => true, body: round }
    )
    return yield* Effect.never
  })
