/** What the client does when doorlock refuses, is slow, or is not there: against a server that answers as the test says. */
import { Effect } from "effect"
import { expect, it, onTestFinished } from "vitest"
import {
  ApiError,
  type ClientOptions,
  ConnectionError,
  createClient,
  DoorlockError,
  TimeoutError
} from "../../src/client/package/index.ts"
import { keyWarnings } from "../../src/keys/scopes-model.ts"
import { eventually } from "../support/eventually.ts"

type Respond = Response | (() => Response | Promise<Response>)

const answers = (body: unknown, init: ResponseInit = {}) => Response.json(body, init)

/** A refusal as doorlock writes it. */
const refusal = (status: number, code: string, message: string, headers: Record<string, string> = {}) =>
  answers({ error: message }, { status, headers: { "doorlock-error": code, ...headers } })

/** A server that gives these responses, one to each request, and then none. */
const serving = (...responses: ReadonlyArray<Respond>) => {
  const requests: Array<{ readonly url: URL; readonly headers: Headers; readonly text: string }> = []
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: async (request) => {
      const respond = responses[requests.length]
      requests.push({ url: new URL(request.url), headers: request.headers, text: await request.text() })
      if (respond === undefined) return new Promise<Response>(() => {})
      return typeof respond === "function" ? respond() : respond
    }
  })
  onTestFinished(() => server.stop(true))
  const client = (options: Partial<ClientOptions> = {}) =>
    createClient({ baseUrl: `${server.url.origin}/`, apiKey: "dlk_test", ...options })
  return { requests, client, server }
}

const session = { session: { id: "1" } }
const soon = { "retry-after": "0" }
const busy = () => refusal(429, "too-many-requests", "Too many requests", soon)
const failureOf = (call: Promise<unknown>): Promise<DoorlockError> =>
  call.then(
    () => Promise.reject(new Error("The call succeeded")),
    (error) => (error instanceof DoorlockError ? error : Promise.reject(error))
  )

it("gives a refusal as an error with the status, the code, the message and the request's id", async () => {
  const { client, requests } = serving(
    refusal(404, "session-not-found", "Session not found"),
    refusal(404, "session-not-found", "Session not found", { "x-request-id": "req-1" }),
    new Response("<h1>Bad gateway</h1>", { status: 502 }),
    new Response("<h1>Welcome</h1>"),
    new Response(null, { status: 302, headers: { location: "https://elsewhere.test" } })
  )
  const { sessions } = client({ maxRetries: 0 })
  const unnamed = await failureOf(sessions.get("1"))
  expect(unnamed).toMatchObject({
    name: "ApiError",
    kind: "api",
    status: 404,
    code: "session-not-found",
    message: "Session not found",
    retryAfter: undefined,
    requestId: requests[0]?.headers.get("x-request-id")
  })
  expect(unnamed.requestId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  const result = await sessions.get("1").result()
  expect(result).toMatchObject({ ok: false, error: { code: "session-not-found", requestId: "req-1" } })
  for (const [status, message] of [
    [502, "The server answered with 502."],
    [200, "The response is not JSON."],
    [302, "The server answered with 302."]
  ])
    expect(await failureOf(sessions.get("1"))).toMatchObject({
      kind: "api",
      code: "unknown",
      status,
      message
    })
  expect(requests.map(({ url }) => url.pathname)).toEqual(Array(5).fill("/api/kyc/sessions/1"))
})

it("gives a lost connection and a missing answer as errors, too", async () => {
  const { client, server } = serving()
  const late = await failureOf(client({ timeout: 20, maxRetries: 0 }).sessions.get("1"))
  expect(late).toBeInstanceOf(TimeoutError)
  expect(late).toMatchObject({ kind: "timeout", code: "timed-out", requestId: expect.stringMatching(/./) })
  await server.stop(true)
  const lost = await failureOf(client({ maxRetries: 0 }).sessions.get("1"))
  expect(lost).toBeInstanceOf(ConnectionError)
  expect(lost).toMatchObject({ kind: "connection", code: "connection-failed", cause: expect.any(Error) })
})

it("repeats a refusal that names a time, whatever the method, with the same request id", async () => {
  const { client, requests } = serving(busy, busy, answers({ ok: true }))
  await client().webhooks.remove("1")
  expect(requests).toHaveLength(3)
  expect(new Set(requests.map(({ headers }) => headers.get("x-request-id"))).size).toBe(1)
})

it("stops after `maxRetries`, and where `Retry-After` asks for more than `maxRetryDelay`", async () => {
  const often = serving(busy, busy)
  expect(await failureOf(often.client({ maxRetries: 1 }).sessions.get("1"))).toMatchObject({ status: 429 })
  expect(often.requests).toHaveLength(2)
  const inAnHour = new Date(Date.now() + 3_600_000).toUTCString()
  for (const wait of ["31", inAnHour]) {
    const long = serving(refusal(503, "file-not-examined", "Later", { "retry-after": wait }))
    const error = await failureOf(long.client().sessions.get("1"))
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toHaveProperty("retryAfter", expect.any(Number))
    expect(long.requests).toHaveLength(1)
  }
})

it("never repeats what could happen twice", async () => {
  const proxy = () => answers({}, { status: 503, headers: soon })
  const cases = [proxy, () => answers({}, { status: 502 }), () => refusal(429, "too-many-files", "Too many")]
  for (const respond of cases) {
    const { client, requests } = serving(respond)
    await failureOf(client().webhooks.create({ url: "https://example.com" }))
    expect(requests).toHaveLength(1)
  }
  const arrived: Array<number> = []
  // On a busy machine a short time is over before the request arrives.
  for (const timeout of [20, 200, 2_000, 20_000]) {
    const { client, requests } = serving()
    await failureOf(client({ timeout }).webhooks.create({ url: "https://example.com" }))
    arrived.push(requests.length)
    if (requests.length > 0) break
  }
  expect(arrived.at(-1)).toBe(1)
})

it("repeats a read and an idempotent call after a failure, with one key for all attempts", async () => {
  const proxy = () => answers({}, { status: 503, headers: soon })
  const limited = () => new Response("Slow down", { status: 429, headers: soon })
  const read = serving(proxy, limited, answers(session))
  expect(await read.client({ timeout: Number.POSITIVE_INFINITY }).sessions.get("1")).toEqual(session)

  const created = serving(proxy, () => refusal(409, "request-in-progress", "In progress"), answers(session))
  const body = { instanceId: "1", externalReference: "customer-42" }
  await created.client().sessions.create(body)
  const keys = created.requests.map(({ headers }) => headers.get("idempotency-key"))
  expect(keys).toHaveLength(3)
  expect(new Set(keys).size).toBe(1)
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
  expect(created.requests.map(({ text }) => JSON.parse(text))).toEqual([body, body, body])

  const own = serving(answers(session), answers(session))
  await own.client().sessions.create(body, { idempotencyKey: "mine" })
  await own.client().sessions.create(body)
  expect(own.requests[0]?.headers.get("idempotency-key")).toBe("mine")
  expect(own.requests[1]?.headers.get("idempotency-key")).not.toBe(keys[0])
})

it("ends at once when it is aborted, during an attempt and between two", async () => {
  const reason = new Error("The user left")
  for (const respond of [
    undefined,
    () => refusal(429, "too-many-requests", "Later", { "retry-after": "20" })
  ]) {
    const { client, requests } = serving(...(respond === undefined ? [] : [respond]))
    const leaving = new AbortController()
    const call = client().sessions.get("1", { signal: leaving.signal })
    const outcome = expect(call.result()).rejects.toBe(reason)
    await Effect.runPromise(eventually("the request has arrived", () => requests.length === 1))
    leaving.abort(reason)
    await outcome
    expect(requests).toHaveLength(1)
  }
  const { client, requests } = serving()
  await expect(client().sessions.get("1", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  expect(requests).toEqual([])
})

it("sends the credentials, headers and query of the call, and nothing that was left out", async () => {
  const { client, requests, server } = serving(...Array(4).fill(() => answers({ sessions: [], ok: true })))
  const one = client({ token: "of the user", headers: { "user-agent": "shop" } })
  await one.sessions.list({ status: "completed", limit: 5, expired: false, from: undefined })
  await one.webhooks.remove("a/b?c", { token: "of another", headers: { "x-shop": "1" } })
  await createClient({ baseUrl: server.url.origin }).operations.health()
  await one.instances.update("1", { name: "Zoë" })
  expect(requests.map(({ url }) => url.pathname + url.search)).toEqual([
    "/api/kyc/sessions?status=completed&limit=5&expired=false",
    "/api/webhook-endpoints/a%2Fb%3Fc/remove",
    "/healthz",
    "/api/kyc/instances/1"
  ])
  const [list, remove, health, update] = requests.map(({ headers }) => Object.fromEntries(headers))
  expect(list).toMatchObject({
    "x-api-key": "dlk_test",
    authorization: "Bearer of the user",
    "user-agent": "shop"
  })
  expect(remove).toMatchObject({ authorization: "Bearer of another", "x-shop": "1" })
  expect(remove).not.toHaveProperty("content-type")
  expect(health).not.toHaveProperty("x-api-key")
  expect(health).not.toHaveProperty("authorization")
  expect(update).toMatchObject({ "content-type": "application/json" })
  expect(requests[3]?.text).toBe('{"name":"Zoë"}')
})

it("refuses an id that would lead to another route", () => {
  const { client, requests } = serving()
  for (const id of ["", ".", ".."]) expect(() => client().sessions.get(id)).toThrow(`Not an id: "${id}"`)
  expect(requests).toEqual([])
})

it("follows pages by cursor, by offset and to the end of a feed", async () => {
  const { client, requests } = serving(
    answers({ sessions: [1, 2], next_cursor: "b" }),
    answers({ sessions: [], next_cursor: "c" }),
    answers({ sessions: [3], next_cursor: null }),
    answers({ apis: ["a", "b"], total: 9, offset: 4 }),
    answers({ apis: [], total: 9, offset: 6 }),
    answers({ events: ["x"], next_cursor: "1", has_more: true }),
    answers({ events: ["y"], next_cursor: "2", has_more: false }),
    answers({ apiKeys: ["k"] })
  )
  const all = async (list: AsyncIterable<unknown>) => {
    const items: Array<unknown> = []
    for await (const item of list) items.push(item)
    return items
  }
  const { apiKeys, catalog, events, sessions } = client()
  expect(await all(sessions.list({ limit: 2 }))).toEqual([1, 2, 3])
  expect(await all(catalog.list({ offset: 4 }))).toEqual(["a", "b"])
  const cursors: Array<string> = []
  for await (const page of events.list({ type: "kyc.*" }).pages()) cursors.push(page.next_cursor)
  expect(cursors).toEqual(["1", "2"])
  expect(await all(apiKeys.list())).toEqual(["k"])
  expect(requests.map(({ url }) => url.search)).toEqual([
    "?limit=2",
    "?limit=2&cursor=b",
    "?limit=2&cursor=c",
    "?offset=4",
    "?offset=6",
    "?type=kyc.*",
    "?type=kyc.*&after=1",
    ""
  ])
})

it("tells in words what doorlock warns of, on the console or to the caller", async () => {
  const created = (warnings: string) =>
    answers({ apiKey: {}, token: "dlk_x" }, { headers: { "doorlock-warnings": warnings } })
  const { client } = serving(
    created(Object.keys(keyWarnings).join(", ")),
    created("of-a-newer-version"),
    answers({ apiKey: {}, token: "dlk_x" })
  )
  const told: Array<{ readonly code: string; readonly message: string }> = []
  const { apiKeys } = client({ onWarning: (warning) => told.push(warning) })
  for (let calls = 0; calls < 3; calls++) await apiKeys.create({ name: "n" })
  expect(told).toEqual([
    ...Object.entries(keyWarnings).map(([code, message]) => ({ code, message })),
    { code: "of-a-newer-version", message: "doorlock warns: of-a-newer-version" }
  ])
})
