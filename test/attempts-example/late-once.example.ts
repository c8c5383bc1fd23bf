/** A deadline ends this test and this group, the first time only. */
import { beforeAll, describe, expect, it } from "vitest"
import { isFirst } from "./first.ts"

const never = new Promise<never>(() => {})

it("passes", () => {
  expect(isFirst("passes")).toBe(true)
})

it("waits (too long?)", async () => {
  if (isFirst("test")) await never
}, 50)

describe("a group", () => {
  beforeAll(async () => {
    if (isFirst("hook")) await never
  }, 50)

  it("has a test", () => {})

  it("has another", () => {})
})
