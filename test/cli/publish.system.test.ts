import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { operator } from "../../src/audit/model.ts"
import * as database from "../../src/cli/database.ts"
import { Config } from "../../src/config.ts"
import { layer, useCases } from "../../src/marketplace/catalog/cli-layer.ts"
import { readManifest } from "../../src/marketplace/catalog/manifest-cli.ts"
import { cli, cliProcess, jsonOf, onDatabase } from "../support/cli.ts"
import { field, send, text } from "../support/client.ts"
import { freshDatabase } from "../support/database.ts"
import { execute, temporaryFolder } from "../support/postgres.ts"
import { patient } from "../support/run/timeouts.ts"
import { startServer } from "../support/server.ts"

/** A server with one company, and a folder for the files that describe an API. */
const start = Effect.gen(function* () {
  const server = yield* startServer({ GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true" })
  yield* execute(
    server.databaseUrl,
    "insert into companies (id, name) values (gen_random_uuid(), 'Acme Ltd')"
  )
  const folder = yield* temporaryFolder
  const write = (name: string, content: string) =>
    Effect.promise(async () => {
      const file = join(folder, name)
      await mkdir(join(file, ".."), { recursive: true })
      await writeFile(file, content)
      return file
    })
  const publish = (words: ReadonlyArray<string>, exitCode = 0, more: Record<string, string> = {}) =>
    cli(
      // An absolute path, because the test's process has another working directory.
      ["publish", ...words.map((word) => (/\.(?:yaml|json)$/.test(word) ? join(folder, word) : word))],
      { ...onDatabase(server.databaseUrl, { GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true", ...more }), exitCode }
    )
  const publishFromFolder = (words: ReadonlyArray<string>) =>
    cliProcess(["publish", ...words], {
      ...onDatabase(server.databaseUrl, { GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true" }),
      cwd: folder
    })
  const json = (words: ReadonlyArray<string>) =>
    Effect.map(publish([...words, "--json"]), (ran) => {
      expect(ran.stderr).toBe("")
      return jsonOf(ran)
    })
  const refuses = (words: ReadonlyArray<string>, exitCode: number, sentence: string) =>
    Effect.map(publish(words, exitCode), (ran) =>
      expect([ran.stdout, ran.stderr.split("\n")[0]?.replace(`${folder}/`, "")]).toEqual([
        "",
        `doorlock: ${sentence}`
      ])
    )
  const count = (table: string) =>
    Effect.map(execute(server.databaseUrl, `select count(*)::int as n from ${table}`), ([row]) => row?.n)
  return { server, write, publish, publishFromFolder, json, refuses, count }
})

const document = `openapi: 3.1.0
info: { title: Weather, version: 1.4.2, description: What the weather is. }
paths:
  /now:
    get:
      operationId: now
      responses:
        "200": { description: The weather now }
`

const manifest = `publisher: { slug: acme, name: Acme }
api: { slug: weather, name: Weather }
version: "2"
upstreamUrl: http://127.0.0.1:7000/base
timeoutSeconds: 5
openapi: spec/openapi.yaml
plans:
  - { name: Free, requestsPerMinute: 60, requestsPerMonth: 10000 }
  - { name: Unlimited }
`

it.scopedLive("publishes a manifest, creates nothing twice, and adds new parts", () =>
  Effect.gen(function* () {
    const { count, json, publish, publishFromFolder, refuses, server, write } = yield* start
    yield* write("spec/openapi.yaml", document)
    yield* write("doorlock.yaml", manifest)
    const parts = (outcome: string) => [
      { part: "publisher", name: "acme", outcome },
      { part: "api", name: "weather", outcome },
      { part: "version", name: "2", outcome },
      { part: "plan", name: "Free", outcome },
      { part: "plan", name: "Unlimited", outcome },
      { part: "publication", name: "acme/weather/v/2", outcome }
    ]
    const gatewayUrl = "https://doorlock.test/gateway/acme/weather/v/2"
    const first = yield* publishFromFolder(["doorlock.yaml", "--json"])
    expect(first.stderr).toBe("")
    expect(jsonOf(first)).toEqual({ parts: parts("made"), gatewayUrl })

    const listed = yield* send(server, "GET", "/api/api-marketplace/apis")
    expect(field(listed.body, "apis", 0)).toMatchObject({
      publisher_slug: "acme",
      slug: "weather",
      versions: [{ version: "2" }],
      plans: [
        { name: "Free", requests_per_minute: 60, requests_per_month: 10_000 },
        { name: "Unlimited", requests_per_minute: null, requests_per_month: null }
      ]
    })
    const id = text(listed.body, "apis", 0, "id")
    const described = yield* send(server, "GET", `/api/api-marketplace/apis/${id}/openapi.json`)
    expect(described.text).toContain("/acme/weather/v/2/now")

    const events = yield* count("audit_events")
    expect(yield* json(["doorlock.yaml"])).toEqual({ parts: parts("unchanged"), gatewayUrl })
    expect(yield* count("audit_events")).toBe(events)

    // A manifest in JSON that adds a plan and renames the API.
    const next = { publisher: { slug: "acme" }, api: { slug: "weather", name: "Weather 2" }, version: "3" }
    yield* write("next.json", JSON.stringify({ ...next, upstreamUrl: "http://127.0.0.1:7001" }))
    const words = yield* publish(["next.json", "--plan", "Pro::5000", "--plan", "Free:60:10000"])
    expect(words.stderr).toBe("")
    expect(words.stdout).toBe(
      [
        "publisher  acme              unchanged",
        "API        weather           changed",
        "version    3                 made",
        "plan       Pro               made",
        "plan       Free              unchanged",
        "published  acme/weather/v/3  unchanged",
        "Call it at https://doorlock.test/gateway/acme/weather/v/3/...",
        ""
      ].join("\n")
    )

    // A version cannot change. The refused manifest creates nothing else either.
    const plans = yield* count("api_plans")
    yield* write("changed.yaml", `${manifest.replace(":7000", ":7009")}  - { name: New }\n`)
    yield* refuses(
      ["changed.yaml"],
      1,
      "Version 2 already exists with a different upstreamUrl. A version never changes: release this one under another name."
    )
    expect(yield* count("api_plans")).toBe(plans)
  })
)

it.scopedLive("refuses a release that contradicts an existing one", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const [company] = yield* execute(
      url,
      "insert into companies (id, name) values (gen_random_uuid(), 'Acme Ltd') returning id"
    )
    const { env = {} } = onDatabase(url, { GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true" })
    yield* Effect.gen(function* () {
      const { releases } = yield* useCases
      const by = operator(String(company?.id), "tester")
      const wanted = {
        publisher: { slug: "acme", name: "Acme" },
        api: { slug: "weather", name: "Weather" },
        version: {
          version: "1",
          upstreamUrl: "http://127.0.0.1:7000",
          timeoutSeconds: 5,
          openapi: '{"openapi":"3.1.0","info":{"title":"W","version":"1"},"paths":{}}'
        },
        plans: [{ name: "Free", requestsPerMinute: 60 }]
      }
      yield* releases.release(by, wanted)
      // The order of fields does not matter, and an omitted field keeps its value.
      const { openapi: _openapi, timeoutSeconds: _timeoutSeconds, ...version } = wanted.version
      const same = yield* releases.release(by, {
        ...wanted,
        version: {
          openapi: '{ "paths": {}, "info": { "version": "1", "title": "W" }, "openapi": "3.1.0" }',
          ...version
        }
      })
      expect(same.parts.filter(({ outcome }) => outcome !== "unchanged")).toEqual([])

      const never = (field: string) =>
        `Version 1 already exists with a different ${field}. A version never changes: release this one under another name.`
      for (const [change, problem] of [
        [{ version: { ...wanted.version, timeoutSeconds: 6 } }, never("timeoutSeconds")],
        [
          {
            version: {
              ...version,
              openapi: '{"openapi":"3.1.0","info":{"title":"W","version":"1"},"paths":{},"tags":[]}'
            }
          },
          never("openapi")
        ],
        [
          { plans: [{ name: "Free", requestsPerMinute: 61 }] },
          "The plan Free already exists with a different requestsPerMinute. A plan never changes: give this one another name."
        ],
        [
          { publisher: { slug: "other", name: "Acme" } },
          "The company is already the publisher acme; it cannot also be other."
        ]
      ] as const) {
        expect(yield* Effect.flip(releases.release(by, { ...wanted, ...change }))).toMatchObject({
          _tag: "ReleaseConflict",
          problem
        })
      }
      expect(yield* execute(url, "select name from api_plans")).toEqual([{ name: "Free" }])
    }).pipe(
      Effect.provide(layer.pipe(Layer.provide(database.layer), Layer.provide(Config.layer(env)))),
      Effect.provide(patient)
    )
  })
)

it.scopedLive("publishes an OpenAPI document, configured by options", () =>
  Effect.gen(function* () {
    const { count, json, publish, refuses, write } = yield* start
    yield* write("openapi.yaml", document)
    const options = ["--publisher", "acme", "--api=weather", "--upstream", "https://weather.test/v1"]
    yield* refuses(["openapi.yaml", ...options.slice(0, 3)], 2, `openapi.yaml: upstreamUrl ${rule}.`)
    yield* refuses(
      ["openapi.yaml", "--publisher", "Acme!", "--api=weather", "--upstream", "https://weather.test/v1"],
      2,
      "openapi.yaml: publisher: slug must be 1 to 63 lower-case letters, digits and hyphens, with a letter or digit at each end."
    )
    const privately = ["openapi.yaml", ...options.slice(0, 3), "--upstream", "http://10.0.0.1"]
    const closed = yield* publish(privately, 2, { GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "false" })
    expect(closed.stderr.split("\n")[0]).toBe("doorlock: upstreamUrl must not point to a private address")
    // No refused attempt left anything behind.
    expect([yield* count("publishers"), yield* count("apis")]).toEqual([0, 0])

    expect(yield* json(["openapi.yaml", ...options])).toMatchObject({
      parts: [{ name: "acme" }, { name: "weather" }, { part: "version", name: "1.4.2" }, { outcome: "made" }],
      gatewayUrl: "https://doorlock.test/gateway/acme/weather/v/1.4.2"
    })
    // By default the publisher has the company's name, and the API its document's title.
    expect(yield* json(["openapi.yaml", ...options, "--name", "Weather"])).toMatchObject({
      parts: [{}, { part: "api", outcome: "unchanged" }, {}, {}]
    })
    expect(yield* count("publishers where name = 'Acme Ltd'")).toBe(1)
  })
)

const rule = "must be an http or https URL of at most 2048 characters without credentials, query and fragment"

it.scopedLive("names the fault in a file and its place", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const read = (name: string, content: string) =>
      Effect.promise(() => writeFile(join(folder, name), content)).pipe(
        Effect.zipRight(readManifest(join(folder, name), {})),
        Effect.flip,
        Effect.map(({ exitCode, message }) => [exitCode, message.replaceAll(`${folder}/`, "")])
      )
    yield* Effect.promise(() => mkdir(join(folder, "spec")))
    yield* Effect.promise(() => writeFile(join(folder, "spec/openapi.yaml"), document))
    for (const [from, to, sentence] of [
      ["requestsPerMinute", "requestPerMinute", "a manifest has no field plans.0.requestPerMinute."],
      [
        "requestsPerMinute: 60",
        "requestsPerMinute: many",
        "plans.0: requestsPerMinute must be a whole number from 1 to 1000000000."
      ],
      ['version: "2"', "version: 2", "version must be text, in quotes: 1.10 and 1.1 are the same number."],
      ["slug: weather, ", "", "api: slug is required."],
      [/plans:\n.*/s, "plans: none\n", "plans must be a list."],
      ["publisher:", "company: 7\npublisher:", "company must be text."]
    ] as const) {
      expect(yield* read("doorlock.yaml", manifest.replace(from, to))).toEqual([
        2,
        `doorlock.yaml: ${sentence}`
      ])
    }
    expect(yield* read("list.yaml", "- 1\n")).toEqual([
      2,
      "list.yaml must contain a manifest or an OpenAPI document."
    ])
    expect(yield* read("gone.yaml", manifest.replace("spec/", "no/"))).toEqual([
      2,
      expect.stringMatching(/^The file no\/openapi.yaml cannot be read: ENOENT/)
    ])
  })
)
