/** A value is examined only until it is clear that it cannot be stored. */
import { Either, ParseResult, Schema } from "effect"
import fc from "fast-check"
import { expect, it } from "vitest"
import { refusing, storableObject, storableValue } from "../../src/http/contract/fields.ts"
import { CreateApiKey } from "../../src/keys/api.ts"
import { listAtMost } from "../../src/shared/schemas.ts"
import { storageProblem } from "../../src/shared/storable.ts"

/** An array that counts how often one of its items is read. */
const countedList = (items: ReadonlyArray<unknown>) => {
  let looks = 0
  const list = new Proxy(items, {
    get: (target, name) => {
      if (typeof name === "string" && /^\d+$/.test(name)) looks++
      return Reflect.get(target, name)
    }
  })
  return { list, looks: () => looks }
}

/** The schema's message for a value; undefined if it is valid. */
const refusal = <A, I>(schema: Schema.Schema<A, I>, value: unknown): string | undefined =>
  Either.match(ParseResult.decodeUnknownEither(schema)(value), {
    onLeft: (issue) => ParseResult.ArrayFormatter.formatIssueSync(issue)[0]?.message,
    onRight: () => undefined
  })

it("any JSON fits exactly into the size of its compact text, and not into a byte less", () => {
  const ofNumbersWithoutExponents = fc
    .json({ maxDepth: 4, stringUnit: "grapheme" })
    .map((text): unknown => JSON.parse(text))
    .filter((value) => !/\de[+-]\d/.test(JSON.stringify(value)) && storageProblem(value) === undefined)
  fc.assert(
    fc.property(ofNumbersWithoutExponents, (value) => {
      const size = Buffer.byteLength(JSON.stringify(value))
      expect([storageProblem(value, size), storageProblem(value, size - 1)]).toEqual([undefined, "too large"])
    }),
    { numRuns: 1_000 }
  )
})

it.each([
  ["objects", {}],
  ["numbers", 1],
  ["nulls", null]
])("of a list of 340,000 %s, only as much as fits is examined", (_, item) => {
  const { list, looks } = countedList(Array(340_000).fill(item))
  const most = 16_384
  expect(refusal(storableObject("metadata", most), { list })).toBe("metadata is too large")
  expect(looks()).toBeLessThan(most)
  expect(refusal(storableValue("result", most), list)).toBe("result is too large")
  expect(looks()).toBeLessThan(2 * most)
})

it("250,000 scopes of a key are refused without examining any", () => {
  const { list, looks } = countedList(Array(250_000).fill("kyc:sessions:read"))
  expect(refusal(CreateApiKey, { name: "a", scopes: list })).toBe(
    "scopes must be an array of at most 100 strings"
  )
  expect(looks()).toBe(0)
})

it("a bounded list: each item is checked, and too many items or no list have one message", () => {
  const schema = listAtMost(refusing(Schema.Number, "must be a number"), 2, "must be at most 2 numbers")
  const good = countedList([1, 2])
  expect(refusal(schema, good.list)).toBe(undefined)
  expect(good.looks()).toBeGreaterThan(0)
  for (const bad of [[1, 2, 3], Array(9).fill("2"), "12", { 0: 1, length: 1 }, null]) {
    expect(refusal(schema, bad)).toBe("must be at most 2 numbers")
  }
  expect(refusal(schema, [1, "2"])).toBe("must be a number")
})
