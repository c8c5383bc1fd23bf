/** Reads the feed of any installation over HTTP, for commands. */
import { Data, Effect, Schema } from "effect"
import { CommandFailed, exitCodes } from "../cli/failures.ts"
import { type Installation, reasonOf } from "../cli/installation.ts"
import { oneLine } from "../cli/output.ts"
import { Timing } from "../shared/timing.ts"

/** Loose: a newer installation has types that this program does not know. The fields are in the order of a delivery's body. */
const FeedEvent = Schema.Struct({
  id: Schema.String,
  type: Schema.String,
  timestamp: Schema.String,
  data: Schema.Record({ key: Schema.String, value: Schema.Unknown })
})
export type FeedEvent = typeof FeedEvent.Type

const FeedPage = Schema.Struct({
  events: Schema.Array(FeedEvent),
  next_cursor: Schema.String,
  has_more: Schema.Boolean
})
type FeedPage = typeof FeedPage.Type

/** The installation gave no usable answer, and may do so later. The message is a sentence without its full stop. */
export class FeedUnavailable extends Data.TaggedError("FeedUnavailable")<{ readonly message: string }> {}

/** The cursor is more than 30 days old. */
export class FeedCursorTooOld extends Data.TaggedError("FeedCursorTooOld") {}

const ErrorBody = Schema.parseJson(Schema.Struct({ error: Schema.String }))

const read = Effect.fnUntraced(function* <A, I>(
  { key, url }: Installation,
  path: string,
  schema: Schema.Schema<A, I>
) {
  const unavailable = (why: string) => new FeedUnavailable({ message: `${url} cannot be read: ${why}` })
  const { withinOr } = yield* Timing
  const { status, text } = yield* withinOr(
    "cli.feed",
    Effect.tryPromise({
      try: async (signal) => {
        const response = await fetch(url + path, {
          headers: { "x-api-key": key },
          redirect: "manual",
          signal
        })
        return { status: response.status, text: await response.text() }
      },
      catch: (error) => unavailable(reasonOf(error))
    }),
    () => unavailable("it does not answer")
  )
  if (status === 410) return yield* new FeedCursorTooOld()
  if (status >= 400 && status < 500 && status !== 429) {
    const sentence = yield* Effect.orElseSucceed(Schema.decode(ErrorBody)(text), () => ({
      error: `${url} answered with ${status}`
    }))
    const exitCode = status === 400 ? exitCodes.usage : exitCodes.refused
    return yield* new CommandFailed({ exitCode, message: `${oneLine(sentence.error)}.` })
  }
  if (status !== 200) return yield* unavailable(`it answered with ${status}`)
  return yield* Effect.mapError(Schema.decode(Schema.parseJson(schema))(text), () =>
    unavailable("the answer is not a feed")
  )
})

/**
 * One page of the feed. Fails with `CommandFailed` if the installation refuses the call for good, with its own sentence.
 *
 * @param query undefined parameters are not sent
 */
export const readFeed = (
  installation: Installation,
  query: Readonly<Record<string, string | undefined>>
): Effect.Effect<FeedPage, CommandFailed | FeedUnavailable | FeedCursorTooOld> => {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const]
  )
  return read(installation, `/api/events?${new URLSearchParams(Object.fromEntries(given))}`, FeedPage)
}

const OneEvent = Schema.Struct({ event: FeedEvent })

/** One event by its id (`evt_...`). Fails as `readFeed` does, also if the company has no such event. */
export const readEvent = (
  installation: Installation,
  id: string
): Effect.Effect<FeedEvent, CommandFailed | FeedUnavailable | FeedCursorTooOld> =>
  Effect.map(read(installation, `/api/events/${encodeURIComponent(id)}`, OneEvent), ({ event }) => event)
