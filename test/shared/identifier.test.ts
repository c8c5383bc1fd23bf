import * as fc from "fast-check"
import { expect, it } from "vitest"
import { newId, parseId } from "../../src/shared/identifier.ts"

it("new ids are UUIDs of version 7, in order of creation", () => {
  const ids = Array.from({ length: 100 }, newId)
  for (const id of ids)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(ids.toSorted()).toEqual(ids)
})

it("an id is not case-sensitive", () => {
  fc.assert(fc.property(fc.uuid(), (id) => parseId(id.toUpperCase()) === id && parseId(id) === id))
})

it("text that is not a UUID is not an id", () => {
  const id = newId()
  for (const text of ["", "1", `{${id}}`, ` ${id}`, `${id}\n`, id.replaceAll("-", ""), `${id}0`, "\u0000"]) {
    expect(parseId(text), JSON.stringify(text)).toBeUndefined()
  }
  fc.assert(fc.property(fc.string(), (text) => parseId(text) === undefined))
})
