/** Clients that hold connections and hardly use them: the server closes these connections and answers all other clients. */

import { once } from "node:events"
import { connect } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { onboard, send, text } from "../support/client.ts"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { goodCallers } from "../support/http/good-callers.ts"
import { metricsOf } from "../support/http/metrics.ts"
import { open } from "../support/http/raw.ts"
import { jpegOf, upload } from "../support/kyc/files.ts"
import { temporaryFolder } from "../support/postgres.ts"
import { runOn } from "../support/program.ts"
import { sized } from "../support/run/fault-size.ts"
import { type RunningServer, startServer } from "../support/server.ts"
import { withTimes } from "../support/timing.ts"

interface Slow {
  readonly first: string
  /** Sent once a second. */
  readonly drip: string
  /** Whether the client reads no responses. */
  readonly isDeaf?: true
}

/** Connects this many clients of each kind. `open` lists the kinds of those whose connections the server has not ended. */
const slowClients = (url: string, kinds: Readonly<Record<string, Slow>>, ofEach: number) =>
  Effect.gen(function* () {
    const all = new Set<{ readonly kind: string }>()
    const { hostname, port } = new URL(url)
    for (const [kind, { drip, first, isDeaf }] of Object.entries(kinds)) {
      for (let times = 0; times < ofEach; times++) {
        const client = { kind }
        const socket = connect(Number(port), hostname)
        yield* Effect.promise(() => once(socket, "connect"))
        all.add(client)
        socket.write(first)
        if (isDeaf) socket.pause()
        else socket.resume()
        // A client that does not read learns of the end at its next write.
        const timer = setInterval(() => socket.write(drip), 1_000)
        const end = () => {
          clearInterval(timer)
          socket.destroy()
          all.delete(client)
        }
        socket.on("error", end)
        socket.on("close", end)
        yield* Effect.addFinalizer(() => Effect.sync(end))
      }
    }
    return { open: () => [...all].map(({ kind }) => kind) }
  })

/** The program's memory in bytes. */
const memoryOf = (program: Pick<RunningServer, "url">) =>
  Effect.map(metricsOf(program), ({ value }) => value("process_resident_memory_bytes") ?? Number.NaN)

describe.concurrent("clients that are slow or silent", () => {
  it.scopedLive(
    "a byte a second, or nothing at all, of a head, a body or a response: the server closes their connections, and all other calls succeed",
    () =>
      Effect.gen(function* () {
        // Bun checks connections every four seconds: a timeout below two checks could close a connection in use.
        const idle = sized(8_000, 120_000)
        const server = yield* startServer({ DATA_DIR: yield* temporaryFolder }).pipe(
          withTimes({ timeouts: { "http.idle": idle } })
        )
        const { key, session } = yield* onboard(server, {}, { config: { capture: { maxBytes: 20_000_000 } } })
        // More than the socket buffers hold.
        const large = yield* upload(server, session, jpegOf(20_000_000))
        const file = `/api/kyc/sessions/${session.id}/files/${text(large.body, "file", "id")}`
        const post = "POST /api/auth/login HTTP/1.1\r\nHost: localhost\r\n"
        const kinds: Readonly<Record<string, Slow>> = {
          "says nothing": { first: "", drip: "" },
          "a byte of a header": { first: "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: ", drip: "a" },
          "a header": { first: "GET /healthz HTTP/1.1\r\nHost: localhost\r\n", drip: "X-A: a\r\n" },
          "half a head, then nothing": { first: "GET /healthz HTTP/1.1\r\nHost", drip: "" },
          "a byte of a body": { first: `${post}Content-Length: 1000\r\n\r\n`, drip: " " },
          "a chunk of a body": { first: `${post}Transfer-Encoding: chunked\r\n\r\n`, drip: "1\r\n \r\n" },
          "reads nothing": {
            first: `GET ${file} HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${key.token}\r\n\r\n`,
            drip: "x",
            isDeaf: true
          },
          "an answer and then nothing": {
            first: "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
            drip: ""
          }
        }
        const read = `GET ${session.path}?token=${session.token} HTTP/1.1\r\nHost: localhost\r\n\r\n`
        const slow = yield* slowClients(server.url, kinds, 20)
        const good = yield* goodCallers(server, read, 4)
        for (const kind of Object.keys(kinds)) {
          yield* eventually(`the slow connections are ended: ${kind}`, () => !slow.open().includes(kind))
        }
        const each = good.each()
        expect(Object.keys(good.answers()), "what good calls were answered").toEqual(["200"])
        expect(Math.min(...each), "answers of a good caller while slow ones were held").toBeGreaterThan(0)
      })
  )

  it.scopedLive(
    "an upload on a slow network that takes longer than the idle timeout succeeds, and its connection is closed once it idles",
    () =>
      Effect.gen(function* () {
        const server = yield* startServer({ DATA_DIR: yield* temporaryFolder }).pipe(
          // As above; the upload takes two and a half times as long.
          withTimes({ timeouts: { "http.idle": 8_000 } })
        )
        const { session } = yield* onboard(server)
        const connection = yield* open(server)
        const content = jpegOf(100_000)
        connection.write(
          `POST ${session.path}/files HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${session.token}\r\nContent-Length: ${content.length}\r\n\r\n`
        )
        for (let at = 0; at < content.length; at += 5_000) {
          yield* Effect.sleep("1 second")
          connection.write(content.subarray(at, at + 5_000))
        }
        expect((yield* connection.answer).status).toBe(201)
        yield* connection.closed
      })
  )
})

it.scopedLive(
  "thousands of idle connections take less than 20 kB each, and all calls meanwhile succeed",
  () =>
    Effect.gen(function* () {
      const count = sized(1_000, 10_000)
      const program = yield* runOn(yield* freshDatabase, {
        SEED_DEMO: "false",
        SIGNUP: "open",
        LOG_LEVEL: "warning"
      })
      const { session } = yield* onboard(program)
      const read = `GET ${session.path}?token=${session.token} HTTP/1.1\r\nHost: localhost\r\n\r\n`
      const answered = Effect.scoped(
        Effect.gen(function* () {
          const good = yield* goodCallers(program, read, 4)
          yield* eventually("every good caller has had its answers", () =>
            good.each().every((answers) => answers >= sized(50, 250))
          )
          expect(Object.keys(good.answers()), "what good calls are answered").toEqual(["200"])
        })
      )
      yield* answered
      const before = yield* memoryOf(program)
      let ended = 0
      const idle = (index: number) =>
        Effect.acquireRelease(
          Effect.promise(() =>
            Bun.connect({
              hostname: "127.0.0.1",
              port: Number(new URL(program.url).port),
              socket: {
                open: (socket) =>
                  void (index % 2 === 0 && socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")),
                data: () => {},
                close: () => void ended++
              }
            })
          ),
          (socket) => Effect.sync(() => socket.end())
        )
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Effect.forEach(
            Array.from({ length: count }, (_, index) => index),
            idle,
            { concurrency: 50 }
          )
          yield* answered
          expect(ended, "idle connections that were ended while they were counted").toBe(0)
          // Half of them are silent; half have received a response. What is garbage goes with the next collection.
          yield* eventually(
            "each idle connection takes less than 20 kB",
            Effect.map(memoryOf(program), (now) => (now - before) / count < 20_000)
          )
        })
      )
      yield* eventually("all are gone", () => ended === count)
      expect((yield* send(program, "GET", "/readyz")).status).toBe(200)
    })
)
