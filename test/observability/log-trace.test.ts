/** A log line names the trace and the span that it was written in, so that one leads to the other. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { afterEach, vi } from "vitest"
import { Config } from "../../src/config.ts"
import * as logging from "../../src/observability/logging.ts"
import { flushOutput } from "../../src/observability/output.ts"

afterEach(() => void vi.restoreAllMocks())

it("traceId and spanId are those of the span, and there are none without one", async () => {
  flushOutput()
  const written: Array<string> = []
  vi.spyOn(process.stdout, "write").mockImplementation((text) => written.push(String(text)) > 0)
  const json = Layer.provide(
    logging.layer,
    Config.layer({
      DATABASE_URL: "postgres://localhost/x",
      SECRET_KEY: "a secret key for tests, 32 bytes at least",
      LOG_FORMAT: "json",
      LOG_LEVEL: "info"
    })
  )
  const spanned = Effect.zipRight(Effect.logInfo("inside"), Effect.currentSpan).pipe(Effect.withSpan("work"))
  const span = await Effect.runPromise(
    Effect.zipLeft(spanned, Effect.logInfo("outside")).pipe(Effect.provide(json))
  )
  flushOutput()
  const lines: ReadonlyArray<object> = written
    .join("")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
  expect(lines).toMatchObject([
    { message: "inside", traceId: span.traceId, spanId: span.spanId },
    { message: "outside" }
  ])
  expect(Object.keys(lines[1] ?? {})).not.toContain("traceId")
})
