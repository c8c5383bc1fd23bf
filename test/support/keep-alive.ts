/** Clients that ask again and again on one connection. */
import * as Effect from "effect/Effect"
import { open } from "./raw.ts"
import type { RunningServer } from "./server.ts"

/** What an endless keep-alive client saw: every request it sent was answered, until it was told to close. */
export const client = (program: Pick<RunningServer, "url">, request: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const connection = yield* open(program)
      const statuses: Array<number> = []
      for (;;) {
        connection.write(request)
        // Dies when the connection ends without an answer.
        const answer = yield* connection.answer
        statuses.push(answer.status)
        if (answer.headers.get("connection") === "close") {
          yield* connection.closed
          return statuses
        }
      }
    })
  )

/** A request with this body, as it is written. */
export const withBody = (line: string, headers: string, body: string) =>
  `${line} HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
