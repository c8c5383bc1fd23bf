import { expect, it } from "vitest"
import { isFirst } from "./first.ts"

it("is wrong the first time", () => {
  expect(isFirst("wrong")).toBe(false)
})
