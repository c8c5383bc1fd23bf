/** contract.md: the messages of each route's 400. Every message that a route documents is provoked, by each kind of value that it refuses. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { send } from "../support/client.ts"
import { type ContractRoute, errorOf, pathOf, routes } from "../support/contract.ts"
import { anyBody, credentialHeaders, TestCompany } from "../support/credentials.ts"
import { suite } from "../support/suite.ts"

const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) })

/** The first pattern that a message matches says what values it refuses. */
const wrong: ReadonlyArray<readonly [RegExp, (...numbers: ReadonlyArray<string>) => ReadonlyArray<unknown>]> =
  [
    [/^Missing token$/, () => [undefined, "", 1]],
    [/ is required$/, () => [undefined, ""]],
    [/ must not be empty$/, () => [""]],
    [/ must be a string of at most (\d+) characters$/, (most) => ["x".repeat(Number(most) + 1)]],
    [/ must be a string of 1 to (\d+) characters$/, (most) => ["", "x".repeat(Number(most) + 1)]],
    [/ must be at most (\d+) characters( long)?$/, (most) => ["x".repeat(Number(most) + 1)]],
    [/ must be at least (\d+) characters long$/, (least) => ["x".repeat(Number(least) - 1)]],
    [
      / must not contain U\+0000, lone surrogates, infinite/,
      () => [{ a: "\u0000" }, { a: "\ud800" }, nested(33)]
    ],
    [/ must not contain U\+0000 or lone surrogates$/, () => ["a text with \u0000", "a text with \ud800"]],
    [/ must not contain control characters or marks of text direction$/, () => ["a\u0007b", "a\u202eb"]],
    [/ must not mix scripts within a word or have invisible characters$/, () => ["p\u0430ypal", "a\u200bb"]],
    [/ is too large$/, () => [{ a: Array.from({ length: 4_000 }, () => 1e300) }]],
    [/ must be an object or null$/, () => ["x", 1, []]],
    [/ must be an object$/, () => ["x", 1, []]],
    [
      / must be a whole number from (\d+) to (\d+)$/,
      (least, most) => [Number(least) - 1, Number(most) + 1, "x", 1.5]
    ],
    [/ must be a whole number of 0 or more$/, () => [-1, "x", 1.5]],
    [/ must be true or false$/, () => ["x", 1]],
    [/ must list instance_config or instance_workflow$/, () => ["x", "instance_config,x"]],
    [/ must be given once$/, () => [["a", "b"]]],
    [
      / must be one of | must be (?:prod or dev|live or test|oldest or newest|v1 or v1a|enabled or disabled|pending, succeeded, failed or held)$/,
      () => ["x", 1]
    ],
    [/ must be an array of /, () => ["x", [1], {}]],
    [/ must be an email address$/, () => ["x", "a@b c.test", 1]],
    [/ must be an http or https URL( of at most|$)/, () => ["x", "ftp://x.test", "javascript:alert(1)"]],
    [/ must be an https URL$/, () => ["x", "http://x.test", 1]],
    [/ must not have a port of another protocol$/, () => ["https://x.test:25"]],
    [/ must be an ISO date string/, () => ["x", "2026-13-01"]],
    [/ must be a day, YYYY-MM-DD$/, () => ["x", "2026-02-30", "2026-01-01T00:00:00Z"]],
    [/ must be the next_cursor of another page$/, () => ["x"]],
    [/ must be (?:an event type|an action) such as /, () => ["x y", "*"]],
    [/ must be (?:1 to (?:63|64) |32 |two digits|a sha256|32 to 128)/, () => ["-", "x y", "é"]]
  ]

/** Messages about more than one value, by how they are provoked: the body's fields, or those of the query. */
const together: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "from must not be after to": { from: "2026-02-01T00:00:00Z", to: "2026-01-01T00:00:00Z" },
  "instanceKey or instanceId is required": { instanceKey: undefined },
  "challenge and solution are required": {}
}

/** These are refused for a header, or later than an unknown id; their own tests provoke them. */
const elsewhere =
  /^(?:Idempotency-Key header |openapi takes too long|(?:sandboxU|u)pstreamUrl must not point to )/

/** A body that no route refuses for its other fields. */
const base = (): Readonly<Record<string, unknown>> => ({
  ...anyBody("x".repeat(43)),
  companyName: "Acme",
  email: `${crypto.randomUUID()}@example.com`,
  password: "a long enough password",
  currentPassword: "a long enough password",
  newPassword: "a long enough password",
  instanceKey: "x"
})

/** A query cannot have half of a pair of surrogates. */
const isForQuery = (value: unknown) =>
  typeof value === "number" || Array.isArray(value) || (typeof value === "string" && value.isWellFormed())

/** What each way to ask for it sends: the query has only strings, and some of them several times. */
const valuesOf = (
  route: ContractRoute,
  message: string
): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  const both = together[message]
  if (both !== undefined) return [both]
  const [pattern, values] = wrong.find(([known]) => known.test(message)) ?? []
  if (pattern === undefined || values === undefined)
    throw new Error(`No wrong value is known for: ${message}`)
  const field = message === "Missing token" ? "token" : (message.split(" ", 1)[0] ?? "")
  const [, ...numbers] = pattern.exec(message) ?? []
  return values(...numbers)
    .filter((value) => route.takesBody || value === undefined || isForQuery(value))
    .map((value) => ({ [field]: value }))
}

suite(TestCompany.layer)("refused values", (it) => {
  /** The answer, if it is another. */
  const otherAnswer = (route: ContractRoute, message: string, fields: Readonly<Record<string, unknown>>) =>
    Effect.gen(function* () {
      const company = yield* TestCompany
      const others = route.takesBody ? base() : { siteKey: "x" }
      const given = Object.entries({ ...others, ...fields }).filter(([, value]) => value !== undefined)
      const query = route.takesBody
        ? []
        : given.flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)]))
      const answer = yield* send(
        company.server,
        route.method,
        `${pathOf(route)}?${new URLSearchParams(query)}`,
        {
          headers: credentialHeaders(company, route),
          ...(route.takesBody ? { json: Object.fromEntries(given) } : {})
        }
      )
      const expected = JSON.stringify(errorOf(route, message))
      return answer.status === 400 && answer.text === expected
        ? []
        : [
            `${route.name} with ${JSON.stringify(fields).slice(0, 100)}: ${answer.status} ${answer.text}, not ${expected}`
          ]
    })

  it.effect("each message that a route documents, for each kind of value that it refuses", () =>
    Effect.gen(function* () {
      const cases = routes.flatMap((route) =>
        route.metadata.rejects
          .filter((message) => !elsewhere.test(message))
          .flatMap((message) => valuesOf(route, message).map((fields) => otherAnswer(route, message, fields)))
      )
      expect(cases.length).toBeGreaterThan(400)
      expect((yield* Effect.all(cases)).flat()).toEqual([])
    })
  )
})
