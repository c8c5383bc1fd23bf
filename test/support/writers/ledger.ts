/** Records what clients requested and which responses they got, to compare with the database. */
import { expect } from "@effect/vitest"
import { Data, Effect, type Redacted, type Scope } from "effect"
import { connect } from "../../../src/db/connection.ts"
import { errorOf, routes } from "../contract.ts"
import { open, type RawAnswer } from "../http/raw.ts"
import type { RunningServer } from "../server.ts"

type Served = Pick<RunningServer, "url">

/** A request that changes data. */
interface Act {
  /** The route's name in the contract: `POST /api/api-keys`. */
  readonly name: string
  readonly path: string
  /** Header lines without line endings. */
  readonly headers?: ReadonlyArray<string>
  readonly body: unknown
  readonly status: 200 | 201
  /**
   * SQL that returns one row of booleans, one for each part that the act creates: all true after the act, all
   * false before. Parts that later acts undo must not be included.
   */
  readonly parts: string
  readonly values: ReadonlyArray<unknown>
  /**
   * What must hold for a client after the fault, whatever else was lost. The response is undefined if none
   * arrived.
   */
  readonly afterwards?: (server: Served, answer: RawAnswer | undefined) => Effect.Effect<void>
}

interface Entry extends Act {
  answer: RawAnswer | undefined
}

/** The act got its route's own 500, so it is unknown whether the act was done. */
class Failed extends Data.TaggedError("Failed") {}

/** Performs acts one by one on one connection and returns their responses. */
export type Doing = (act: Act) => Effect.Effect<RawAnswer, Failed>

/** Performs acts without end. */
export type Writer = (act: Doing) => Effect.Effect<never, Failed>

const own500 = new Map(
  routes.map((route) => [route.name, JSON.stringify(errorOf(route, route.metadata?.unexpected ?? ""))])
)

const requestOf = ({ body, headers = [], name, path }: Act): ReadonlyArray<string | Uint8Array> => {
  const isBytes = body instanceof Uint8Array
  const content = isBytes ? body : JSON.stringify(body)
  const lines = [
    `${name.split(" ", 1)[0]} ${path} HTTP/1.1`,
    "Host: localhost",
    ...headers,
    ...(isBytes ? [] : ["Content-Type: application/json"]),
    `Content-Length: ${Buffer.byteLength(content)}`
  ]
  return [`${lines.join("\r\n")}\r\n\r\n`, content]
}

export const ledger = () => {
  /** The acts since the last `settle`. */
  let entries: Array<Entry> = []
  /** Unexpected responses. */
  const surprises: Array<string> = []
  let failures = 0

  const doing = (server: Served): Effect.Effect<Doing, never, Scope.Scope> =>
    Effect.map(
      open(server),
      (connection) => (act) =>
        Effect.suspend(() => {
          const entry: Entry = { ...act, answer: undefined }
          entries.push(entry)
          for (const part of requestOf(act)) connection.write(part)
          return Effect.flatMap(connection.answer, (answer) => {
            if (answer.status === 500 && answer.body === own500.get(act.name)) {
              failures++
              return new Failed()
            }
            if (answer.status === act.status) entry.answer = answer
            else surprises.push(`${act.name}: ${answer.status} ${answer.body}`)
            return answer.status === act.status
              ? Effect.succeed(answer)
              : Effect.dieMessage("Not as expected")
          })
        })
    )

  /**
   * A writer stops at an unexpected response. Failing here tells a test that waits for more acts why none
   * come.
   */
  const noSurprises = () => expect(surprises, "answers that none should have been").toEqual([])

  return {
    /** The number of acts with a successful response. */
    answered: () => {
      noSurprises()
      return entries.filter(({ answer }) => answer !== undefined).length
    },

    /** The number of acts that got their route's own 500. */
    failures: () => {
      noSurprises()
      return failures
    },

    /** The routes of acts with a successful response. */
    kinds: (): ReadonlySet<string> =>
      new Set(entries.flatMap(({ answer, name }) => (answer === undefined ? [] : [name]))),

    /**
     * Runs the writers, each on its own connection, until the connection breaks. After a failure, a writer
     * starts again.
     */
    work: (server: Served, writers: ReadonlyArray<Writer>) =>
      Effect.forEach(writers, (writer) =>
        Effect.fork(
          Effect.exit(
            Effect.scoped(
              Effect.flatMap(doing(server), (act) => Effect.retry(writer(act), { while: () => true }))
            )
          )
        )
      ),

    /**
     * Checks that every answered act is stored completely, that every other act is stored completely or not
     * at all, and that clients see the same. Then starts a new record. Returns how many acts were not
     * answered.
     */
    settle: (server: Served, database: Redacted.Redacted<string>) =>
      Effect.scoped(
        Effect.gen(function* () {
          const client = yield* connect(database)
          noSurprises()
          const faults: Array<string> = []
          for (const { answer, name, parts, values } of entries) {
            const { rows } = yield* Effect.promise(() =>
              client.query<Record<string, unknown>>(parts, [...values])
            )
            // Two rows would mean that something was created twice.
            const found = rows.length === 1 ? Object.values(rows[0] ?? {}) : []
            const whole = found.length > 0 && found.every((part) => part === true)
            const absent = answer === undefined && found.length > 0 && found.every((part) => part === false)
            if (!whole && !absent)
              faults.push(`${name} ${answer?.body ?? "unanswered"}: ${JSON.stringify(rows)}`)
          }
          expect(faults).toEqual([])
          yield* Effect.forEach(
            entries,
            ({ afterwards, answer }) => afterwards?.(server, answer) ?? Effect.void,
            {
              concurrency: 8,
              discard: true
            }
          )
          const unanswered = entries.filter(({ answer }) => answer === undefined).length
          entries = []
          failures = 0
          return { unanswered }
        })
      )
  }
}
