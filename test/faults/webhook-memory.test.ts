/** Endpoints whose answers never end: an attempt reads 16 KiB, or waits for its deadline, and the process keeps its size. */
import type { Socket } from "node:net"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { send, signUp } from "../support/client.ts"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { watchedGrowth } from "../support/machine/growth.ts"
import { rawUpstream } from "../support/marketplace/gateway.ts"
import { execute } from "../support/postgres.ts"
import { productionProgram, runOn } from "../support/program.ts"
import { sized } from "../support/run/fault-size.ts"

const megabyte = 1_048_576

/** As for the gateway (`gateway-memory`): what was read is garbage until the next collection. */
const most = 128 * megabyte

/** What is said of an attempt that its deadline ended. */
const late = "There was no complete answer within 15 seconds."

/** Attempts at each endpoint whose answer comes as fast as it is read. */
const floods = sized(50, 250)

/** Attempts at each endpoint whose answer comes an octet at a time: all of them are under way at once. */
const drips = 6

const piece = Buffer.alloc(megabyte / 4, 97)
const chunk = Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n")])
const field = Buffer.from(`x: ${"y".repeat(1_000)}\r\n`)

/** Answers with this head, and then writes the part until the connection is closed. */
const flood = (head: string, part: Buffer) => (socket: Socket) => {
  socket.write(head)
  const write = () => {
    while (!socket.destroyed && socket.write(part));
  }
  socket.on("drain", write)
  write()
}

/** Answers with this, and then with an octet every 100 ms until the connection is closed. */
const drip = (first: string) => (socket: Socket) => {
  socket.write(first)
  const timer = setInterval(() => void socket.write("y"), 100)
  socket.on("close", () => clearInterval(timer))
}

const endless = {
  "a body": flood("HTTP/1.1 200 OK\r\n\r\n", piece),
  "a body in chunks": flood("HTTP/1.1 500 Oops\r\nTransfer-Encoding: chunked\r\n\r\n", chunk),
  "a body of 100 TB": flood(`HTTP/1.1 200 OK\r\nContent-Length: ${10 ** 14}\r\n\r\n`, piece),
  "a head": flood("HTTP/1.1 200 OK\r\n", field)
}

const dripping = {
  "a body": drip("HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n"),
  "a head": drip("HTTP/1.1 200 OK\r\nx: ")
}

it.scopedLive(
  "endless answers and slow drips: every attempt ends, and memory grows by less than 128 MB",
  () =>
    Effect.gen(function* () {
      const environment = { SIGNUP: "open", SEED_DEMO: "false", GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true" }
      const program = yield* runOn(yield* freshDatabase, environment, productionProgram)
      const run = (text: string, values: ReadonlyArray<unknown> = []) =>
        execute(program.databaseUrl, text, values)
      const { companyId, cookie } = yield* signUp(program)
      const endpointFor = Effect.fnUntraced(function* (whole: (socket: Socket) => void, type: string) {
        const { url } = yield* rawUpstream({ whole })
        const { status } = yield* send(program, "POST", "/api/webhook-endpoints", {
          headers: { cookie },
          json: { url, eventTypes: [type] }
        })
        expect(status).toBe(201)
      })
      const record = (type: string, count: number) =>
        run(
          `insert into event_outbox (company_id, type, data)
         select $1::uuid, $2, jsonb_build_object('id', n::text, 'url', '/') from generate_series(1, $3::int) as n`,
          [companyId, type, count]
        )
      /** Waits until each of so many deliveries has been attempted. */
      const attempted = (count: number) =>
        eventually(
          `${count} deliveries have been attempted`,
          Effect.map(
            run("select count(*)::int as n from webhook_deliveries where attempts > 0"),
            ([row]) => row?.n === count
          )
        )

      for (const whole of Object.values(endless)) yield* endpointFor(whole, "api_key.created")
      for (const whole of Object.values(dripping)) yield* endpointFor(whole, "api_key.revoked")
      // One-time allocations do not count: pools, caches, compiled code, buffers.
      const first = 5
      yield* record("api_key.created", first)
      yield* attempted(first * 4)

      const growth = yield* watchedGrowth(program.pid)
      yield* record("api_key.revoked", drips)
      yield* record("api_key.created", floods)
      yield* attempted((first + floods) * 4 + drips * 2)
      expect(growth(), "bytes by which memory grew").toBeLessThan(most)
      // On a slow machine, the deadline may end an attempt before as much has come.
      expect(
        yield* run(
          `select distinct d.event_type as type, a.status, a.reason, a.answer is not null as kept
         from webhook_attempts a join webhook_deliveries d on d.id = a.delivery_id
         where d.event_type <> 'api_key.created' or a.reason is distinct from $1 order by 1, 2`,
          [late]
        )
      ).toStrictEqual([
        { type: "api_key.created", status: 200, reason: null, kept: false },
        { type: "api_key.created", status: 500, reason: "The endpoint answered 500.", kept: true },
        {
          type: "api_key.created",
          status: null,
          reason: "The head of the answer is too large.",
          kept: false
        },
        {
          type: "api_key.revoked",
          status: 200,
          reason: late,
          kept: false
        },
        {
          type: "api_key.revoked",
          status: null,
          reason: late,
          kept: false
        }
      ])
    })
)
