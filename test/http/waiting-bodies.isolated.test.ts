/** Large bodies that have arrived and wait for their turn: they count as held, can be dropped, and their senders take turns. */

import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { bodyAs, HeldBodies } from "../../src/http/runtime/body.ts"
import { bodyBudget } from "../../src/http/runtime/body-budget.ts"
import { enterLarge, largeBytes } from "../../src/http/runtime/large-bodies.ts"
import { onboard } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { open, type RawAnswer } from "../support/http/raw.ts"
import { startServer } from "../support/server.ts"
import { patientTiming } from "../support/timing.ts"

const length = 2 * largeBytes

/** A JSON object of this length with many small parts. */
const bodyOf = (part: string) => {
  const start = `{"email":"","z":[${part}`
  const more = `,${part}`.repeat(Math.floor((length - start.length - 2) / (part.length + 1)))
  return `${start}${more}${" ".repeat(length - start.length - more.length - 2)}]}`
}

const frame = (body: string) => `Content-Length: ${body.length}\r\n\r\n${body}`

/** A server that holds this many large bodies. The turn of another one lasts until `goOn`. */
const serverHolding = (count: number) =>
  Effect.gen(function* () {
    const gate = Promise.withResolvers<void>()
    yield* Effect.addFinalizer(() => Effect.sync(() => gate.resolve()))
    enterLarge("192.0.2", () => gate.promise)
    const free = 1_000
    const budget = bodyBudget(4 * count * (length - free), count * (length - free), free)
    const server = yield* startServer({ TRUSTED_PROXIES: "127.0.0.1" }).pipe(
      Effect.provideService(HeldBodies, budget)
    )
    const company = yield* onboard(server)
    const answers: Array<readonly [string, RawAnswer]> = []
    const send = (name: string, from: string, head: string, rest: string) =>
      Effect.gen(function* () {
        const connection = yield* open(server)
        connection.write(`POST ${head}\r\nHost: doorlock.test\r\nX-Forwarded-For: ${from}\r\n${rest}`)
        yield* Effect.forkScoped(Effect.map(connection.answer, (answer) => void answers.push([name, answer])))
      })
    const answered = (count: number) => eventually(`${count} are answered`, () => answers.length === count)
    return { answered, answers, company, goOn: () => gate.resolve(), send }
  })

describe("large bodies that wait for their turn", () => {
  it.scopedLive("40 of one network: as many wait as fit, the others are 429", () =>
    Effect.gen(function* () {
      const { answered, answers, goOn, send } = yield* serverHolding(10)
      for (let i = 0; i < 40; i++) {
        yield* send("flood", `203.0.113.${i}`, "/api/auth/signup HTTP/1.1", frame(bodyOf("[]")))
      }
      yield* answered(30)
      for (const [, { body, headers, status }] of answers) {
        expect([status, body, headers.get("retry-after")]).toEqual([
          429,
          '{"error":"Too many requests"}',
          "1"
        ])
      }
      goOn()
      yield* answered(40)
      // The bodies that were kept get their normal response.
      expect(
        answers
          .slice(30)
          .map(([, { status }]) => status)
          .toSorted()
      ).toEqual(Array(10).fill(400))
    })
  )

  it.scopedLive("those of a company and of another network do not wait for all those of the first", () =>
    Effect.gen(function* () {
      const { answered, answers, company, goOn, send } = yield* serverHolding(10)
      const rest = frame(bodyOf("[]"))
      const key = `x-api-key: ${company.key.token}`
      const senders = [
        ["first", "203.0.113.1", "/api/auth/signup HTTP/1.1"],
        ["elsewhere", "198.51.100.1", "/api/auth/signup HTTP/1.1"],
        ["company", "203.0.113.1", `/api/kyc/public/sessions HTTP/1.1\r\n${key}`]
      ] as const
      for (const [index, [name, from, head]] of senders.entries()) {
        for (let i = 0; i < 11; i++) yield* send(name, from, head, rest)
        // One was dropped, which proves that all have arrived.
        yield* answered(index + 1)
      }
      goOn()
      yield* answered(33)
      const first = answers.slice(3, 18).map(([name]) => name)
      for (const [name] of senders) expect(first.filter((one) => one === name).length).toBeGreaterThan(2)
    })
  )
})

describe("chunks that have all arrived", () => {
  it("of a few bytes: other work runs after every few", async () => {
    const pieces = 4096
    let given = 0
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (given++ === pieces) controller.close()
        else controller.enqueue(new Uint8Array(7).fill(0x20))
      }
    })
    const request = HttpServerRequest.fromWeb(
      new Request("http://doorlock.test/", { method: "POST", body: stream })
    )
    const turns: Array<number> = []
    let isOver = false
    const others = () => {
      turns.push(given)
      if (!isOver) setImmediate(others)
    }
    setImmediate(others)
    const begin = () => bodyBudget(1e9, 1e9, 0).begin({ address: "192.0.2.1" }, () => {})
    await Effect.runPromise(Effect.exit(bodyAs(request, (body) => body, { begin, timing: patientTiming })))
    isOver = true
    turns.push(given)
    // There were never many chunks between two turns of other work.
    const between = turns.map((at, index) => at - (turns[index - 1] ?? 0))
    expect(given).toBeGreaterThan(pieces)
    expect(Math.max(...between)).toBeLessThan(200)
  })
})
