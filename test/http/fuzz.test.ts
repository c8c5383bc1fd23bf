/** Bad input: whatever is sent, an answer that the contract has, never a 5xx and never silence. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { errorBody } from "../../src/http/contract/error-responses.ts"
import { bodyRejects } from "../../src/http/contract/refusals.ts"
import { routeTable } from "../../src/http/runtime/routes.ts"
import { createSession, onboard } from "../support/client.ts"
import { failureRows, routes } from "../support/contract.ts"
import { TestCompany } from "../support/credentials.ts"
import { codeOf } from "../support/error-codes.ts"
import { anyRequests, routeRequests, unstorableRequests, type WireRequest } from "../support/http/fuzz.ts"
import { exchange, type RawAnswer } from "../support/http/raw.ts"
import { mustRefuseMessage } from "../support/mcp.ts"
import { sized } from "../support/run/fault-size.ts"
import type { RunningServer } from "../support/server.ts"
import { suite } from "../support/suite.ts"

const table = routeTable(routes)

const refusals = [
  ...Object.values(bodyRejects),
  ...failureRows,
  { status: 404, message: "Not found" },
  { status: 405, message: "Method not allowed" }
]

/** Every error body that the contract has for this path and status. */
const declared = (url: string, status: number): ReadonlyArray<string> => {
  const ofPath = table.ofPath(url)
  const form = ofPath[0]?.metadata?.form ?? "plain"
  const rejects = status === 400 ? ofPath.flatMap(({ metadata }) => metadata?.rejects ?? []) : []
  const ofRoutes = ofPath.flatMap(({ failures }) => failures)
  const rows = [...refusals, ...ofRoutes].flatMap((row) => (row.status === status ? [row.message] : []))
  return [...rejects, ...rows].map((message) => JSON.stringify(errorBody(form, message)))
}

/** Whether it is a 400 that the contract has a form for: those name a place within a field. */
const isOfDeclaredForm = (url: string, status: number, body: string): boolean => {
  const patterns = table.ofPath(url).flatMap(({ metadata }) => metadata?.rejectPatterns ?? [])
  if (status !== 400 || patterns.length === 0) return false
  const { error }: { readonly error: string } = JSON.parse(body)
  return patterns.some(({ pattern }) => pattern.test(error))
}

const patternCodes = (url: string) =>
  table.ofPath(url).flatMap(({ metadata }) => (metadata?.rejectPatterns ?? []).map(({ code }) => code))

const isAnswer = ({ method, target }: WireRequest, { body, headers, status }: RawAnswer) => {
  expect(status).toBeGreaterThanOrEqual(200)
  expect(status).toBeLessThan(500)
  expect(headers.get("x-request-id")).toMatch(/^[\w.:/+=-]{1,128}$/)
  if (status < 400 || method === "HEAD") return
  expect(headers.get("content-type")).toBe("application/json")
  const path = target.replaceAll(/%(?![0-9a-f]{2})|%ff/gi, "%25")
  const code = headers.get("doorlock-error")
  if (code === "mcp-message-refused") return mustRefuseMessage(body)
  const sentences = declared(path, status)
  if (!sentences.includes(body) && isOfDeclaredForm(path, status, body)) {
    expect(patternCodes(path)).toContain(code)
    return
  }
  expect(sentences).toContain(body)
  expect(code).toBe(codeOf(JSON.parse(body).error))
}

const send = (server: RunningServer, request: WireRequest): Effect.Effect<RawAnswer> => {
  const body = Buffer.from(request.body)
  const length = body.length === 0 ? [] : [`Content-Length: ${body.length}`]
  // Dies when nothing comes for half a minute.
  return exchange(server, `${request.method} ${request.target}`, [...request.headers, ...length], body)
}

/** Requests that are sent at a time, so that one is generated and judged while the database works on another. */
const together = 4

/** Sends this many requests. */
const holds = (server: RunningServer, requests: fc.Arbitrary<WireRequest>, count: number) =>
  Effect.promise(() =>
    fc.assert(
      fc.asyncProperty(fc.array(requests, { minLength: together, maxLength: together }), async (group) => {
        const answers = await Promise.all(
          group.map(async (request) => ({ request, answer: await Effect.runPromise(send(server, request)) }))
        )
        for (const { answer, request } of answers) isAnswer(request, answer)
      }),
      { numRuns: count / together }
    )
  )

suite(TestCompany.layer)("generated requests", (it) => {
  it.effect(
    "with a value in one field that Postgres cannot store",
    () =>
      Effect.gen(function* () {
        const { server } = yield* TestCompany
        const requests = unstorableRequests(yield* onboard(server))
        yield* Effect.forEach(
          requests,
          (request) =>
            Effect.map(send(server, request), (answer) => {
              expect(answer.status < 500 ? undefined : { ...request, ...answer }).toBeUndefined()
              isAnswer(request, answer)
            }),
          { concurrency: 4, discard: true }
        )
      }),
    180_000
  )

  it.effect(
    "to the contract's routes",
    () =>
      Effect.gen(function* () {
        const { server } = yield* TestCompany
        const company = yield* onboard(server)
        const sessions = yield* Effect.replicateEffect(
          createSession(server, company.key.token, company.instance.id),
          100,
          { concurrency: 4 }
        )
        const requests = routeRequests(sessions.map((session) => ({ ...company, session })))
        yield* holds(server, requests, sized(1_000, 7_500))
      }),
    sized(180_000, 900_000)
  )

  it.effect(
    "to any path, with any method",
    () =>
      Effect.gen(function* () {
        const { server } = yield* TestCompany
        yield* holds(server, anyRequests, sized(400, 2_500))
      }),
    sized(180_000, 900_000)
  )
})
