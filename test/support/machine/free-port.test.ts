import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { freePort } from "./free-port.ts"

it.effect("500 servers that look for a port before any of them listens get different ones", () =>
  Effect.gen(function* () {
    const ports = yield* Effect.replicateEffect(freePort, 500)
    expect(new Set(ports).size).toBe(500)
  })
)
