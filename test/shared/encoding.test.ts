/** The encoding and decoding of our own says what the library's says, value by value. */
import * as HttpApi from "@effect/platform/HttpApi"
import { describe, expect, it } from "@effect/vitest"
import { Context, Schema } from "effect"
import { Api } from "../../src/api.ts"
import { RouteMetadata } from "../../src/http/contract/error-responses.ts"
import { decoder, encoder } from "../../src/shared/encoding.ts"
import { JsonObject, Timestamp } from "../../src/shared/schemas.ts"

const outcome = (run: () => unknown): unknown => {
  try {
    return { value: run() }
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

describe("the examples of all routes are encoded byte for byte as by the library", () => {
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      // The cast: every endpoint of the contract has answers, and schemas that need nothing.
      const { example } = Context.get(endpoint.annotations as Context.Context<RouteMetadata>, RouteMetadata)
      const schema = endpoint.successSchema as Schema.Schema<unknown>
      if (example === undefined) return
      it(`${endpoint.method} ${endpoint.path}`, () => {
        const value = Schema.decodeUnknownSync(schema)(example.response)
        expect(JSON.stringify(encoder(schema)(value))).toBe(
          JSON.stringify(Schema.encodeUnknownSync(schema)(value))
        )
      })
    }
  })
})
