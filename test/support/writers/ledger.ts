/** What clients have asked for and been answered, to be held against what the database has. */
import { expect } from "@effect/vitest"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { connect } from "../../../src/db/connection.ts"
import { errorOf, routes } from "../contract.ts"
import { open, type RawAnswer } from "../http/raw.ts"
import type { RunningServer } from "../server.ts"

type Served = Pick<RunningServer, "url">

/** Something that is asked of the service and changes what it has. */
interface Act {
  /** As the contract names its route: `POST /api/api-keys`. */
  readonly name: string
  readonly path: string
  /** Lines without their ends. */
  readonly headers?: ReadonlyArray<string>
  readonly body: unknown
  readonly status: 200 | 201
  /**
   * SQL that gives one row of booleans, each a part of what the act makes: all of them once it is done, none before. What later
   * acts undo is no such part.
   */
  readonly parts: string
  readonly values: ReadonlyArray<unknown>
  /** What has to hold for a client after the fault, whatever else was lost; undefined for an act that was not answered. */
  readonly afterwards?: (server: Served, answer: RawAnswer | undefined) => Effect.Effect<void>
}

interface Entry extends Act {
  answer: RawAnswer | undefined
}

/** An act was answered by its route's own 500. Whether it was done nobody knows. */
class Failed extends Data.TaggedError("Failed") {}

/** Does one act after the other on one connection, and gives their answers. */
export type Doing = (act: Act) => Effect.Effect<RawAnswer, Failed>

/** Acts for ever. */
export type Writer = (act: Doing) => Effect.Effect<never, Failed>

const own500 = new Map(
  routes.map((route) => [route.name, JSON.stringify(errorOf(route, route.answers?.unexpected ?? ""))])
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
  /** Of the present stretch of work. */
  let entries: Array<Entry> = []
  /** Answers that none should have been. */
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

  /** A writer that met one writes no more: whoever waits for more acts is told why they do not come. */
  const noSurprises = () => expect(surprises, "answers that none should have been").toEqual([])

  return {
    /** Acts that were answered well. */
    answered: () => {
      noSurprises()
      return entries.filter(({ answer }) => answer !== undefined).length
    },

    /** Acts that were answered by their own 500. */
    failures: () => {
      noSurprises()
      return failures
    },

    /** The routes of acts that were answered well. */
    kinds: (): ReadonlySet<string> =>
      new Set(entries.flatMap(({ answer, name }) => (answer === undefined ? [] : [name]))),

    /** Lets the writers work, each on a connection of its own, until that breaks. After a failure one begins anew. */
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
     * Every act that was answered is there whole, every other whole or not at all, and clients find it so. Begins a new stretch.
     * Answers how many acts were not answered.
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
            // One row: two would be something made twice.
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
