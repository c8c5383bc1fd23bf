/** The routes of a publisher: every row, over HTTP. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { field, send, signUp, text } from "../../support/client.ts"
import { refusal, statusAndBody, unknownId } from "../../support/kyc/partner.ts"
import {
  addVersion,
  askingAs,
  freshSlug,
  marketplace,
  openapi,
  publish,
  publishedApi,
  publisherOn,
  upstreamUrl
} from "../../support/marketplace/publisher.ts"
import { execute } from "../../support/postgres.ts"
import { sharedServer, startServer, TestServer } from "../../support/server.ts"
import { anId, anInstant } from "../../support/shapes.ts"
import { suite } from "../../support/suite.ts"
import { wordsOf } from "../../support/words.ts"

const newPublisher = Effect.flatMap(TestServer, (server) => publisherOn(server))

const slugForm = "must be 1 to 63 lower-case letters, digits and hyphens, with a letter or digit at each end"
const versionForm = "must be 1 to 64 letters, digits, dots and hyphens, with a letter or digit at each end"
const urlRule =
  "must be an http or https URL of at most 2048 characters without credentials, query and fragment"

const badSlugs = ["A", "a_b", "-a", "a-", "é", "a".repeat(64), ".."]
const badVersions = [".", "..", "a/b", "a b", "1_0", "-1", "1.", "é", "v".repeat(65)]
const badUrls = [
  ...wordsOf(`
    api.test ftp://x.test doorlock:echo file:///etc/passwd //x.test https:// https://u:p@x.test https://@x.test
    https://x.test/?a https://x.test? https://x.test/#a https://x.test# https:\\\\x.test https://[::1
  `),
  ...["", "https://x.test/a b", `https://x.test/${"a".repeat(2048)}`, "https://x.test/\u0000"]
]

suite(TestServer.layer)("publishing", (it) => {
  it.effect("400 names the field, and nothing is made or changed", () =>
    Effect.gen(function* () {
      const publisher = yield* newPublisher
      const { id } = yield* publisher.newApi({ name: "Before" })
      const before = yield* publisher.ask("GET", "/publisher/apis")
      /** Asks with each of these values of a field. */
      const bad = (
        method: string,
        path: string,
        good: object,
        field: string,
        message: string,
        values: ReadonlyArray<unknown>
      ) =>
        Effect.forEach(values, (value) =>
          Effect.map(publisher.ask(method, path, { ...good, [field]: value }), (answer) =>
            expect([field, value, statusAndBody(answer)]).toStrictEqual([
              field,
              value,
              refusal(400, `${field} ${message}`)
            ])
          )
        )
      const required = "is required"
      const text = "must not contain U+0000 or lone surrogates"
      const description = "must be a string of at most 10000 characters"
      const versions = `/apis/${id}/versions`
      const plans = `/apis/${id}/plans`
      for (const [method, path, good, field, message, values] of [
        ...["/publishers", "/apis"].flatMap(
          (path) =>
            [
              ["POST", path, { name: "x" }, "slug", required, [undefined]],
              ["POST", path, { name: "x" }, "slug", slugForm, badSlugs]
            ] as const
        ),
        ...["/publishers", "/apis", plans].flatMap(
          (path) =>
            [
              ["POST", path, { slug: "x" }, "name", required, [undefined, "  "]],
              ["POST", path, { slug: "x" }, "name", "must be at most 200 characters", ["n".repeat(201)]],
              ["POST", path, { slug: "x" }, "name", text, ["a\u0000"]]
            ] as const
        ),
        ["POST", "/apis", { slug: "x", name: "x" }, "description", description, [7, "x".repeat(10_001)]],
        ["POST", "/apis", { slug: "x", name: "x" }, "description", text, ["\ud800"]],
        ["PATCH", `/apis/${id}`, { description: "x" }, "name", "must not be empty", ["", 7]],
        [
          "PATCH",
          `/apis/${id}`,
          { description: "x" },
          "name",
          "must be at most 200 characters",
          ["x".repeat(201)]
        ],
        ["PATCH", `/apis/${id}`, { name: "After" }, "description", description, [7]],
        ["POST", versions, { upstreamUrl }, "version", required, [undefined, 1, ""]],
        ["POST", versions, { upstreamUrl }, "version", versionForm, badVersions],
        ["POST", versions, { version: "1" }, "upstreamUrl", urlRule, [undefined, 7, ...badUrls]],
        ["POST", versions, { version: "1", upstreamUrl }, "sandboxUpstreamUrl", urlRule, badUrls],
        [
          "POST",
          versions,
          { version: "1", upstreamUrl },
          "timeoutSeconds",
          "must be a whole number from 1 to 300",
          [0, 301, 1.5, "30"]
        ],
        ["POST", versions, { version: "1", upstreamUrl }, "openapi", "must be an object", [7, "x", []]],
        [
          "POST",
          versions,
          { version: "1", upstreamUrl },
          "openapi",
          "must not contain U+0000, lone surrogates, infinite numbers or more than 32 levels",
          [{ openapi: "3.1.0", x: "\u0000" }]
        ],
        [
          "POST",
          versions,
          { version: "1", upstreamUrl },
          "openapi",
          "must be an OpenAPI 3.0 or 3.1 document",
          [{}]
        ],
        [
          "POST",
          plans,
          { name: "x" },
          "requestsPerMinute",
          "must be a whole number from 1 to 1000000000",
          [0, 1.5, "60", 1_000_000_001]
        ],
        [
          "POST",
          plans,
          { name: "x" },
          "requestsPerMonth",
          "must be a whole number from 1 to 1000000000000",
          [0, 1_000_000_000_001]
        ]
      ] as const) {
        yield* bad(method, path, good, field, message, values)
      }
      expect((yield* publisher.ask("GET", "/publisher/apis")).body).toStrictEqual(before.body)
    })
  )

  describe("POST /publishers", () => {
    it.effect("201: the publisher, which GET /publisher reads", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const ask = askingAs(server, yield* signUp(server))
        const slug = freshSlug()
        expect(statusAndBody(yield* ask("GET", "/publisher"))).toStrictEqual(
          refusal(404, "Publisher not found")
        )
        const made = yield* ask("POST", "/publishers", { slug, name: "  Acme Ltd ", id: unknownId })
        expect(statusAndBody(made)).toStrictEqual({
          status: 201,
          body: { publisher: { id: anId, slug, name: "Acme Ltd", created_at: anInstant } }
        })
        expect(statusAndBody(yield* ask("GET", "/publisher"))).toStrictEqual({ status: 200, body: made.body })
      })
    )

    it.effect(
      "409: another publisher's slug; a second publisher of the company, even with its current slug",
      () =>
        Effect.gen(function* () {
          const server = yield* TestServer
          const { ask, slug } = yield* newPublisher
          const other = askingAs(server, yield* signUp(server))
          expect(statusAndBody(yield* other("POST", "/publishers", { slug, name: "x" }))).toStrictEqual(
            refusal(409, "Slug is already taken")
          )
          for (const again of [slug, freshSlug()]) {
            expect(
              statusAndBody(yield* ask("POST", "/publishers", { slug: again, name: "x" }))
            ).toStrictEqual(refusal(409, "Company is already a publisher"))
          }
        })
    )
  })

  describe("POST /apis", () => {
    it.effect("201: a draft, which only its company sees", () =>
      Effect.gen(function* () {
        const { ask, server, slug } = yield* newPublisher
        const made = yield* ask("POST", "/apis", { slug: "a-1", name: " Weather ", description: " Rain. " })
        const api = {
          id: anId,
          publisher_slug: slug,
          slug: "a-1",
          name: "Weather",
          description: " Rain. ",
          status: "draft",
          versions: [],
          plans: []
        }
        expect(statusAndBody(made)).toStrictEqual({ status: 201, body: { api } })
        expect(statusAndBody(yield* ask("GET", "/publisher/apis"))).toStrictEqual({
          status: 200,
          body: { apis: [{ ...Object(field(made.body, "api")), taken_down: null }] }
        })
        const path = `${marketplace}/apis/${text(made.body, "api", "id")}`
        for (const hidden of [path, `${path}/openapi.json`]) {
          expect(statusAndBody(yield* send(server, "GET", hidden))).toStrictEqual(
            refusal(404, "API not found")
          )
        }
      })
    )

    it.effect("403: a company that is not a publisher", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const ask = askingAs(server, yield* signUp(server))
        expect(statusAndBody(yield* ask("POST", "/apis", { slug: "x", name: "x" }))).toStrictEqual(
          refusal(403, "Company is not a publisher")
        )
        expect(statusAndBody(yield* ask("GET", "/publisher/apis"))).toStrictEqual(
          refusal(404, "Publisher not found")
        )
        expect(statusAndBody(yield* ask("POST", "/apis", {}))).toStrictEqual(refusal(400, "slug is required"))
      })
    )

    it.effect("409: a slug of another API of the publisher; another publisher may have it too", () =>
      Effect.gen(function* () {
        const first = yield* newPublisher
        const second = yield* newPublisher
        yield* first.newApi({ slug: "same" })
        yield* second.newApi({ slug: "same" })
        expect(statusAndBody(yield* first.ask("POST", "/apis", { slug: "same", name: "x" }))).toStrictEqual(
          refusal(409, "Slug is already taken")
        )
      })
    )

    it.effect("409: more than 100", () =>
      Effect.gen(function* () {
        const { ask, newApi, server, slug } = yield* newPublisher
        yield* Effect.orDie(
          execute(
            server.databaseUrl,
            `insert into apis (id, publisher_id, slug, name, description)
             select gen_random_uuid(), id, 'a' || n, 'x', '' from publishers, generate_series(1, 99) as n
             where slug = $1`,
            [slug]
          )
        )
        yield* newApi()
        expect(statusAndBody(yield* ask("POST", "/apis", { slug: "x", name: "x" }))).toStrictEqual(
          refusal(409, "A publisher has at most 100 APIs")
        )
        expect(field((yield* ask("GET", "/publisher/apis")).body, "apis")).toHaveLength(100)
      })
    )
  })

  describe("PATCH /apis/:apiId", () => {
    it.effect("200: given fields change, also in the catalog and its descriptions", () =>
      Effect.gen(function* () {
        const publisher = yield* newPublisher
        const { ask, server } = publisher
        const api = yield* publishedApi(publisher, openapi(), { name: "Before", description: "Old" })
        // Read once, so that a cached description has to be rebuilt.
        expect(field((yield* send(server, "GET", `${api.path}/openapi.json`)).body, "info")).toMatchObject({
          title: "Before",
          description: "Old"
        })
        const before = field((yield* ask("GET", "/publisher/apis")).body, "apis", 0)
        const renamed = { ...Object(before), name: "After" }
        for (const fields of [{ name: " After " }, { name: null, description: null }, { slug: "other" }]) {
          expect(statusAndBody(yield* ask("PATCH", `/apis/${api.id.toUpperCase()}`, fields))).toStrictEqual({
            status: 200,
            body: { api: renamed }
          })
        }
        const described = { ...renamed, description: "" }
        expect(statusAndBody(yield* ask("PATCH", `/apis/${api.id}`, { description: "" }))).toStrictEqual({
          status: 200,
          body: { api: described }
        })
        expect((yield* ask("GET", "/publisher/apis")).body).toStrictEqual({ apis: [described] })
        expect((yield* send(server, "GET", api.path)).body).toMatchObject({
          api: { name: "After", description: "" }
        })
        const { body } = yield* send(server, "GET", `${api.path}/openapi.json`)
        expect(field(body, "info")).toStrictEqual({ title: "After", version: "1" })
      })
    )
  })

  describe("POST /apis/:apiId/versions", () => {
    it.effect("201: the version; only its publisher sees its upstreams", () =>
      Effect.gen(function* () {
        const publisher = yield* newPublisher
        const { ask, server } = publisher
        const api = yield* publisher.newApi()
        const first = yield* ask("POST", `/apis/${api.id}/versions`, {
          version: "1.4.2",
          upstreamUrl: "HTTPS://API.Upstream.test:443/a/../b//",
          sandboxUpstreamUrl: "http://sandbox.upstream.test:8080",
          timeoutSeconds: 300,
          openapi: openapi()
        })
        const shape = { id: anId, version: "1.4.2", created_at: anInstant }
        expect(statusAndBody(first)).toStrictEqual({ status: 201, body: { version: shape } })
        const second = yield* addVersion(publisher, api, { version: "2026-11-20" })
        yield* publish(publisher, api)
        const own = yield* ask("GET", "/publisher/apis")
        expect(field(own.body, "apis", 0, "versions")).toStrictEqual([
          {
            ...Object(field(second, "version")),
            upstream_url: upstreamUrl,
            sandbox_upstream_url: null,
            timeout_seconds: 30,
            has_openapi: false
          },
          {
            ...Object(field(first.body, "version")),
            upstream_url: "https://api.upstream.test/b",
            sandbox_upstream_url: "http://sandbox.upstream.test:8080",
            timeout_seconds: 300,
            has_openapi: true
          }
        ])
        const listed = yield* send(server, "GET", api.path)
        expect(field(listed.body, "api", "versions")).toStrictEqual([
          field(second, "version"),
          field(first.body, "version")
        ])
        expect(listed.text).not.toContain("upstream")
      })
    )

    it.scoped(
      "400: private, loopback and link-local addresses in any spelling; ports of other protocols",
      () =>
        Effect.gen(function* () {
          const publisher = yield* publisherOn(yield* startServer())
          const { id } = yield* publisher.newApi()
          const add = (fields: object) =>
            Effect.map(
              publisher.ask("POST", `/apis/${id}/versions`, { version: "1", upstreamUrl, ...fields }),
              statusAndBody
            )
          // `gateway/addresses` has the forms.
          for (const host of ["127.0.0.1", "169.254.169.254", "2130706433", "[::1]", "localhost"]) {
            for (const name of ["upstreamUrl", "sandboxUpstreamUrl"]) {
              expect(yield* add({ [name]: `http://${host}/x` }), host).toStrictEqual(
                refusal(400, `${name} must not point to a private address`)
              )
            }
          }
          for (const name of ["upstreamUrl", "sandboxUpstreamUrl"]) {
            expect(yield* add({ [name]: "http://x.test:25" })).toStrictEqual(
              refusal(400, `${name} must not point to a port of another protocol`)
            )
          }
        })
    )

    it.effect("409: an existing version, all but one of many concurrent ones, and more than 50", () =>
      Effect.gen(function* () {
        const publisher = yield* newPublisher
        const api = yield* publisher.newApi()
        const add = (version: string) =>
          publisher.ask("POST", `/apis/${api.id}/versions`, { version, upstreamUrl })
        const answers = yield* Effect.all(
          Array.from({ length: 8 }, () => add("1")),
          { concurrency: "unbounded" }
        )
        expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)])
        expect(statusAndBody(yield* add("1"))).toStrictEqual(refusal(409, "Version already exists"))
        // What is wrong with the body is said before what is in the way of a good one.
        const again = (openapi: object) =>
          publisher.ask("POST", `/apis/${api.id}/versions`, { version: "1", upstreamUrl, openapi })
        expect(statusAndBody(yield* again({}))).toStrictEqual(
          refusal(400, "openapi must be an OpenAPI 3.0 or 3.1 document")
        )
        expect(statusAndBody(yield* again(openapi()))).toStrictEqual(refusal(409, "Version already exists"))
        yield* Effect.orDie(
          execute(
            publisher.server.databaseUrl,
            `insert into api_versions (id, api_id, version, upstream_url, timeout_seconds)
             select gen_random_uuid(), $1, 'v' || n, 'https://x.test', 30 from generate_series(1, 49) as n`,
            [api.id]
          )
        )
        expect(statusAndBody(yield* add("2"))).toStrictEqual(refusal(409, "An API has at most 50 versions"))
      })
    )
  })

  describe("POST /apis/:apiId/plans", () => {
    it.effect("201: the plan, unlimited if limits are omitted; plans are listed in order of creation", () =>
      Effect.gen(function* () {
        const publisher = yield* newPublisher
        const { ask, server } = publisher
        const api = yield* publishedApi(publisher)
        const plans: Array<unknown> = []
        for (const [fields, minute, month] of [
          [{}, null, null],
          [{ requestsPerMinute: null, requestsPerMonth: null }, null, null],
          [{ requestsPerMinute: 1, requestsPerMonth: 1_000_000_000_000 }, 1, 1_000_000_000_000],
          [{ requestsPerMinute: 1_000_000_000 }, 1_000_000_000, null]
        ] as const) {
          const name = `plan ${plans.length}`
          const made = yield* ask("POST", `/apis/${api.id}/plans`, { name: ` ${name} `, ...fields })
          const plan = { id: anId, name, requests_per_minute: minute, requests_per_month: month }
          expect(statusAndBody(made)).toStrictEqual({ status: 201, body: { plan } })
          plans.push(field(made.body, "plan"))
        }
        expect(field((yield* send(server, "GET", api.path)).body, "api", "plans")).toStrictEqual(plans)
        expect(field((yield* ask("GET", "/publisher/apis")).body, "apis", 0, "plans")).toStrictEqual(plans)
      })
    )

    it.effect("409: a name of another plan of the API; more than 20", () =>
      Effect.gen(function* () {
        const publisher = yield* newPublisher
        const { id } = yield* publisher.newApi()
        const add = (name: string) => publisher.ask("POST", `/apis/${id}/plans`, { name })
        expect((yield* add("Free")).status).toBe(201)
        expect(statusAndBody(yield* add(" Free "))).toStrictEqual(refusal(409, "Plan name is already taken"))
        for (let number = 2; number <= 20; number++) expect((yield* add(`p${number}`)).status).toBe(201)
        expect(statusAndBody(yield* add("p21"))).toStrictEqual(refusal(409, "An API has at most 20 plans"))
      })
    )
  })

  describe("publish, unpublish", () => {
    it.effect("200 {ok: true}, even if repeated; an unpublished API is a draft again", () =>
      Effect.gen(function* () {
        const publisher = yield* newPublisher
        const { ask, server } = publisher
        const api = yield* publisher.newApi()
        const status = Effect.map(ask("GET", "/publisher/apis"), ({ body }) =>
          field(body, "apis", 0, "status")
        )
        for (const [action, expected, seen] of [
          ["unpublish", "draft", 404],
          ["publish", "published", 200],
          ["publish", "published", 200],
          ["unpublish", "draft", 404],
          ["publish", "published", 200]
        ] as const) {
          expect(statusAndBody(yield* ask("POST", `/apis/${api.id}/${action}`))).toStrictEqual({
            status: 200,
            body: { ok: true }
          })
          expect(yield* status).toBe(expected)
          for (const path of [api.path, `${api.path}/openapi.json`]) {
            expect((yield* send(server, "GET", path)).status).toBe(seen)
          }
        }
      })
    )
  })
})

it.effect("GATEWAY_ALLOW_PRIVATE_UPSTREAMS=true: private addresses are accepted", () =>
  Effect.gen(function* () {
    const publisher = yield* publisherOn(yield* sharedServer)
    const api = yield* publisher.newApi()
    yield* addVersion(publisher, api, { upstreamUrl: "http://127.0.0.1:4000/x" })
  })
)
