/** The encoding and decoding of our own says what the library's says, value by value. */
import * as HttpApi from "@effect/platform/HttpApi"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Option, ParseResult, Schema } from "effect"
import { Api } from "../../src/api.ts"
import { type Example, RouteMetadata } from "../../src/http/contract/error-responses.ts"
import { decoder, encoder, Refused, reader } from "../../src/shared/encoding.ts"
import { JsonObject, Timestamp } from "../../src/shared/schemas.ts"

const outcome = (run: () => unknown): unknown => {
  try {
    const value = run()
    return { value, inherits: Object.getPrototypeOf(Object(value)) }
  } catch (error) {
    return { error: String(error) }
  }
}

const Row = Schema.Struct({
  id: Schema.String,
  status: Schema.Literal("created", "running"),
  at: Schema.NullOr(Schema.DateFromSelf),
  data: JsonObject,
  list: Schema.Array(Schema.Struct({ count: Schema.Int })),
  note: Schema.optionalWith(Schema.String, { exact: true }),
  either: Schema.Union(Schema.Struct({ a: Schema.Number }), Schema.Struct({ b: Schema.Boolean })),
  anything: Schema.Unknown
})

const Answer = Schema.Struct({ ...Row.fields, at: Schema.NullOr(Timestamp) })

const good = {
  id: "x",
  status: "running",
  at: new Date("2026-11-20T10:00:00.123Z"),
  data: { __proto__x: 1 },
  list: [{ count: 1 }, { count: 2 }],
  either: { b: true },
  anything: undefined
}

const values = [
  good,
  { ...good, note: "n", more: "is left out" },
  { ...good, either: { a: 1, b: true } },
  { ...good, at: null, list: [] },
  { ...good, note: undefined },
  { ...good, id: 7 },
  { ...good, status: "other" },
  { ...good, at: "2026-11-20" },
  { ...good, at: new Date(Number.NaN) },
  { ...good, data: [] },
  { ...good, list: [{ count: 1.5 }] },
  { ...good, list: { 0: { count: 1 } } },
  { ...good, either: {} },
  { id: "x" },
  [good],
  null,
  undefined,
  "text"
]

const agrees = <A, I>(name: string, schema: Schema.Schema<A, I>) =>
  describe(name, () => {
    it("is encoded or refused exactly as by the library", () => {
      for (const value of values) {
        expect(outcome(() => encoder(schema)(value))).toEqual(
          outcome(() => Schema.encodeUnknownSync(schema)(value))
        )
      }
    })
    it("is decoded or refused exactly as by the library", () => {
      for (const value of [...values, { ...good, at: "2026-11-20T10:00:00.000Z" }]) {
        expect(outcome(() => decoder(schema)(value))).toEqual(
          outcome(() => Schema.decodeUnknownSync(schema)(value))
        )
      }
    })
  })

agrees("a row, which transforms nothing", Row)
agrees("an answer, which does", Answer)

agrees(
  "fields that are renamed, removed and filled in",
  Schema.Struct({
    id: Schema.propertySignature(Schema.String).pipe(Schema.fromKey("status")),
    note: Schema.optionalWith(Schema.String, { default: () => "none" }),
    at: Schema.optionalToOptional(Schema.NullOr(Schema.DateFromSelf), Schema.DateFromSelf, {
      decode: Option.filter((at) => at !== null),
      encode: (at) => at
    })
  })
)

agrees(
  "fields that swap their names",
  Schema.Struct({
    id: Schema.propertySignature(Schema.String).pipe(Schema.fromKey("status")),
    status: Schema.propertySignature(Schema.String).pipe(Schema.fromKey("id"))
  })
)

agrees(
  "members of which several fit",
  Schema.Union(Schema.Struct({ id: Schema.String }), Schema.Struct({ status: Schema.Literal("running") }))
)

agrees("a schema that refuses more fields", Row.annotations({ parseOptions: { onExcessProperty: "error" } }))

agrees(
  "a schema with a fallback",
  Schema.Struct({
    status: Schema.Literal("created").annotations({ decodingFallback: () => ParseResult.succeed("created") })
  })
)

/** What a schema says of values that fit it in some unusual way. */
const unusual: Readonly<Record<string, readonly [Schema.Schema.Any, ReadonlyArray<unknown>]>> = {
  "an array with a hole": [Schema.Array(Schema.Number), [new Array(1), [Number.NaN, -0]]],
  "a missing field that may be undefined": [
    Schema.Union(
      Schema.Struct({ a: Schema.UndefinedOr(Schema.String) }),
      Schema.Struct({ b: Schema.String })
    ),
    [{ b: "x" }, {}, { a: undefined }]
  ],
  "inherited fields": [
    Schema.Struct({ a: Schema.String, note: Schema.optional(Schema.String) }),
    [Object.create({ a: "x", note: "n" }), Object.create({ note: "n" })]
  ],
  "a field with the name of an inherited one": [
    Schema.Struct({ constructor: Schema.optional(Schema.Unknown), toString: Schema.Unknown }),
    [{}, { constructor: 1, toString: 2 }]
  ],
  "a field named __proto__": [
    Schema.Struct({
      ["__proto__"]: Schema.Unknown,
      a: Schema.optionalWith(Schema.String, { default: () => "d" })
    }),
    [JSON.parse('{ "__proto__": { "b": 1 } }')]
  ],
  "an inherited literal field": [
    Schema.Union(
      Schema.Struct({ is: Schema.Literal("a"), value: Schema.String }),
      Schema.Struct({ is: Schema.Literal("b"), value: Schema.String })
    ),
    [
      Object.create({ is: "a", value: "x" }),
      { is: "b", value: "x" },
      { is: ["a"], value: "x" },
      { value: "x" }
    ]
  ],
  "a literal field without a name": [
    Schema.Union(Schema.Struct({ a: Schema.String }), Schema.Struct({ "": Schema.Literal("b") })),
    [{ a: "x", "": "b" }]
  ],
  "a member that is transformed by an effect": [
    Schema.Union(
      Schema.transformOrFail(Schema.String, Schema.String, {
        strict: true,
        decode: (text) => Effect.suspend(() => Effect.succeed(`decoded ${text}`)),
        encode: (text) => Effect.suspend(() => Effect.succeed(`encoded ${text}`))
      }),
      Schema.String
    ),
    ["x"]
  ],
  "a member that is transformed by an effect that waits": [
    Schema.Union(
      Schema.transformOrFail(Schema.String, Schema.String, {
        strict: true,
        decode: (text) => Effect.as(Effect.yieldNow(), `decoded ${text}`),
        encode: () => Effect.never
      }),
      Schema.String
    ),
    ["x"]
  ],
  "a transformation that looks at the original value": [
    Schema.transform(Schema.Struct({ a: Schema.NumberFromString }), Schema.Unknown, {
      strict: true,
      decode: (_, original) => original,
      encode: (_, original) => Object(original)
    }),
    [{ a: "5" }, { a: 5 }]
  ],
  "a filter that counts fields": [
    Schema.Struct({ a: Schema.String }).pipe(Schema.filter((value) => Object.keys(value).length > 1)),
    [{ a: "x", more: 1 }]
  ]
}

describe("An unusual value is encoded, decoded or refused exactly as by the library:", () => {
  for (const [what, [schema, given]] of Object.entries(unusual)) {
    it(what, () => {
      // The cast: these schemas need no services.
      const own = schema as Schema.Schema<unknown>
      for (const value of given) {
        for (const [ours, usual] of [
          [encoder(own), Schema.encodeUnknownSync(own)],
          [decoder(own), Schema.decodeUnknownSync(own)]
        ] as const) {
          expect(outcome(() => ours(value))).toStrictEqual(outcome(() => usual(value)))
        }
      }
    })
  }
})

/** The value itself, and each of its fields in turn missing or of another type. */
const mutations = (value: unknown): ReadonlyArray<unknown> => [
  value,
  ...Object.entries(Object(value)).flatMap(([name, field]) =>
    [undefined, null, "", 0, -1.5, true, [], {}, [field], { field }, "x".repeat(3_000)].map((other) => ({
      ...Object(value),
      [name]: other
    }))
  )
]

interface Route {
  readonly name: string
  readonly payload: Schema.Schema<unknown> | undefined
  readonly success: Schema.Schema<unknown>
  readonly example: Example | undefined
}

const routes: Array<Route> = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint: { annotations, method, path, payloadSchema, successSchema } }) => {
    // The casts: every endpoint of the contract has answers, and schemas that need nothing.
    const { example } = Context.get(annotations as Context.Context<RouteMetadata>, RouteMetadata)
    const payload = Option.getOrUndefined(payloadSchema) as Schema.Schema.All | undefined
    routes.push({
      name: `${method} ${path}`,
      payload: payload as Schema.Schema<unknown> | undefined,
      success: successSchema as Schema.Schema<unknown>,
      example
    })
  }
})

it("the bodies of all routes' examples, also with a wrong field, are read or refused as by the library", () => {
  for (const { example, name, payload } of routes) {
    if (example?.request === undefined || payload === undefined) continue
    const read = reader(payload)
    const decode = ParseResult.decodeUnknownEither(payload)
    const told = (issue: ParseResult.ParseIssue) => ParseResult.TreeFormatter.formatIssueSync(issue)
    for (const value of mutations(example.request)) {
      const found = read(value)
      const usual = decode(value)
      expect([name, found instanceof Refused ? told(found.issue) : JSON.stringify(found)]).toEqual([
        name,
        usual._tag === "Left" ? told(usual.left) : JSON.stringify(usual.right)
      ])
      expect(found instanceof Refused).toBe(usual._tag === "Left")
    }
  }
})

it("the examples of all routes are encoded byte for byte as by the library", () => {
  for (const { example, name, success } of routes) {
    if (example === undefined) continue
    const value = Schema.decodeUnknownSync(success)(example.response)
    expect([name, JSON.stringify(encoder(success)(value))]).toEqual([
      name,
      JSON.stringify(Schema.encodeUnknownSync(success)(value))
    ])
  }
})
