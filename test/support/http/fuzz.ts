/** Generated requests for `fast-check`: half-valid, odd and nonsensical. */
import fc from "fast-check"
import { type ContractRoute, pathOf, routes } from "../contract.ts"
import { anyBody, type Company, credentialLines } from "../credentials.ts"

/** A raw request, so that a failure shows all of it. */
export interface WireRequest {
  readonly method: string
  readonly target: string
  readonly headers: ReadonlyArray<string>
  readonly body: string
}

const nested = (levels: number, open: string, close: string) => open.repeat(levels) + close.repeat(levels)

/** JSON that is hard for parsers, for Postgres, or for code that trusts keys. */
const hard = [
  ...["1e400", "-1e400", "1e-400", "-0", "0.1", "9007199254740993", "1".repeat(400), "2592000", "1.5"],
  ...['"\\u0000"', '"\\ud800"', '"\\udc00\\ud800"', '"\\ud83d\\udd11"', '"a\\u0000b"', '""', '" "', '"null"'],
  ...["null", "true", "false", "[]", "{}", "[null]", '{"":""}', '{"a":1,"a":2}', '{"\\u0000":1}'],
  ...['{"__proto__":{"x":1}}', '{"constructor":{"prototype":{}}}', '{"toString":1,"valueOf":2}'],
  ...[31, 32, 33, 2_000].flatMap((levels) => [
    nested(levels, "[", "]"),
    `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`
  ]),
  ...['"2024-02-30"', '"2024-12-31T23:59:60Z"', '"+275760-09-13T00:00:00.001Z"', '"0000-01-01"'],
  ...[
    '"http://[::1"',
    '"javascript:alert(1)"',
    '"https://u:p@x.test"',
    `"https://x.test/${"a".repeat(2100)}"`
  ],
  `"${"x".repeat(70_000)}"`,
  `"${"é".repeat(20_000)}"`
]

const jsonText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...hard),
  fc.json({ maxDepth: 4 }),
  fc.string({ unit: "binary", maxLength: 40 }).map((text) => JSON.stringify(text)),
  fc.double().map((number) => String(number))
)

const oddKeys = ["__proto__", "constructor", "toString", "", "\u0000", "\ud800", "Token", "token ", "ключ"]

const objectText = (fields: ReadonlyArray<readonly [string, string]>) =>
  `{${fields.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(",")}}`

const header = fc
  .tuple(
    fc.constantFrom(
      ...["Content-Type", "Accept", "Authorization", "X-Api-Key", "Cookie", "X-Request-Id", "Origin"],
      ...["X-Forwarded-For", "Idempotency-Key", "Traceparent", "Accept-Encoding", "Sec-Fetch-Site", "Range"]
    ),
    fc.oneof(
      fc.constantFrom(
        ...["application/json", "text/plain", "Bearer dlk_x", "bearer  ", "dashboard_session=%zz", "null"],
        ...["dashboard_session=dls_x; dashboard_session", "00-0-0-00", "cross-site", "127.0.0.1", "bytes=0-"]
      ),
      fc.string({ unit: "grapheme-ascii", maxLength: 60 })
    )
  )
  .map(([name, value]) => `${name}: ${value}`)

/** Plausible values of every field of all routes. A route ignores fields that it does not know. */
const validFields = (company: Company): ReadonlyArray<readonly [string, unknown]> => {
  const { instance, session } = company
  return Object.entries({
    ...anyBody(session.token),
    companyName: "Acme",
    email: "nobody@example.com",
    password: "correct horse battery staple",
    instanceId: instance.id,
    instanceKey: instance.publicKey,
    externalReference: "order-1",
    expiresInSeconds: 60,
    successRedirectUrl: "https://x.test/a",
    failureRedirectUrl: "https://x.test/b",
    metadata: { a: 1 },
    mode: "dev",
    progress: { step: 1 },
    result: [1],
    status: "running",
    scopes: ["*"],
    expiresAt: "2030-01-01",
    config: { captcha: { siteKey: "x", minScore: 0.5 }, redirect: {} },
    workflow: { steps: [] },
    disabled: false,
    planId: instance.id,
    graceSeconds: 60,
    challenge: { parameters: {}, signature: "x" },
    solution: { counter: 1, derivedKey: "x" },
    slug: "fuzz",
    description: "x",
    version: "1",
    upstreamUrl: "https://x.test",
    sandboxUpstreamUrl: "https://x.test/sandbox",
    timeoutSeconds: 30,
    openapi: { openapi: "3.1.0", info: { title: "x", version: "1" }, paths: {} },
    requestsPerMinute: 60,
    requestsPerMonth: 1000
  })
}

/** Valid bodies with some fields missing, some replaced by anything, and some unknown fields added. */
const mutatedBody = (company: Company): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.tuple(
        ...validFields(company).map(([key, value]) =>
          fc
            .oneof(
              { weight: 16, arbitrary: fc.constant(JSON.stringify(value)) },
              { weight: 1, arbitrary: jsonText },
              { weight: 2, arbitrary: fc.constant("") }
            )
            .map((text) => [key, text] as const)
        )
      ),
      fc.array(fc.tuple(fc.constantFrom(...oddKeys), jsonText), { maxLength: 2 })
    )
    .map(([fields, odd]) => objectText([...fields.filter(([, text]) => text !== ""), ...odd]))

const query = fc
  .array(
    fc.tuple(
      fc.constantFrom(
        "token",
        "limit",
        "cursor",
        "status",
        "externalReference",
        "offset",
        "siteKey",
        "sessionId",
        "x",
        "token[]"
      ),
      fc.oneof(
        fc.constantFrom(
          ...["", "1", "100", "101", "-1", "1e2", "%00", "%zz", "%ff", "running", "a+b", "bnVsbA"]
        ),
        fc.webQueryParameters({ size: "small" })
      )
    ),
    { maxLength: 4 }
  )
  .map((pairs) => (pairs.length === 0 ? "" : `?${pairs.map((pair) => pair.join("=")).join("&")}`))

const id = (company: Company) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(company.session.id, company.instance.id) },
    { weight: 1, arbitrary: fc.uuid() },
    {
      weight: 1,
      arbitrary: fc.constantFrom("%zz", "%00", "%ff", "x", "__proto__", "%2F", "'", "a".repeat(5000))
    }
  )

/** The credential, unless the route would end it. */
const credentials = (company: Company, route: ContractRoute) =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.constant(route.pattern.endsWith("/logout") ? [] : credentialLines(company, route))
    },
    { weight: 1, arbitrary: fc.constant(credentialLines(company, { ...route, credential: "key" })) },
    { weight: 1, arbitrary: fc.constant([]) }
  )

const requestsTo = (route: ContractRoute, company: Company): fc.Arbitrary<WireRequest> =>
  fc
    .record({
      id: id(company),
      query: fc.oneof(query, fc.constant(`?token=${company.session.token}`)),
      credential: credentials(company, route),
      headers: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(header, { maxLength: 3 })),
      body: fc.oneof(
        { weight: 4, arbitrary: mutatedBody(company) },
        { weight: 1, arbitrary: jsonText },
        { weight: 1, arbitrary: fc.string({ unit: "binary" }) }
      )
    })
    .map(({ body, credential, headers, id, query }) => ({
      method: route.method,
      target: pathOf(route, id) + query,
      headers: [...credential, ...headers],
      body: route.takesBody ? body : ""
    }))

/**
 * Requests to the contract's own paths and methods, with nearly valid bodies. Some requests finish their
 * session, so pass many `companies`, each with its own session.
 */
export const routeRequests = (companies: ReadonlyArray<Company>): fc.Arbitrary<WireRequest> =>
  fc
    .tuple(fc.constantFrom(...routes), fc.constantFrom(...companies))
    .chain(([route, company]) => requestsTo(route, company))

const unstorable = ['"\\u0000"', '"a\\u0000b"', '"\\ud800"', '{"a":["\\u0000"]}', '{"\\udc00":1}', "1e400"]

/**
 * Valid requests except for one field with a value that Postgres cannot store: every field that a route
 * knows, one by one.
 */
export const unstorableRequests = (company: Company): ReadonlyArray<WireRequest> =>
  routes
    .filter(({ pattern, takesBody }) => takesBody && !pattern.endsWith("/logout"))
    .flatMap((route) =>
      route.fields.flatMap((bad) =>
        unstorable.map((value) => ({
          method: route.method,
          target: pathOf(route, company.session.id),
          headers: credentialLines(company, route),
          body: objectText([
            ...validFields(company)
              // A route would refuse these before it reaches the bad field.
              .filter(([key]) => ![bad, "status", "challenge", "solution"].includes(key))
              .map(([key, valid]) => [key, JSON.stringify(valid)] as const),
            [bad, value]
          ])
        }))
      )
    )

const segment = fc.oneof(
  fc.constantFrom(
    ...["api", "kyc", "public", "sessions", "api-keys", "..", ".", "", "%2e%2e", "%zz", "auth", "*", ":id"]
  ),
  fc.webSegment()
)

/** Requests to any path, with any method, query and headers. */
export const anyRequests: fc.Arbitrary<WireRequest> = fc
  .record({
    method: fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"),
    path: fc.oneof(
      fc.array(segment, { maxLength: 8 }),
      fc.constantFrom(...routes).map(({ pattern }) => pattern.slice(1).split("/"))
    ),
    query,
    headers: fc.array(header, { maxLength: 6 }),
    body: fc.oneof(fc.constant(""), jsonText, fc.string({ unit: "binary" }))
  })
  .map(({ body, headers, method, path, query }) => ({
    method,
    target: `/${path.join("/")}${query}`,
    headers,
    body
  }))
