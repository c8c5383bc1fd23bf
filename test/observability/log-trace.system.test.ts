/** A log line names the trace and the span that it was written in, so that one leads to the other. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { afterEach, vi } from "vitest"
import { onboard, send } from "../support/client.ts"
import { withoutTable } from "../support/database/outage.ts"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { startHere } from "../support/program-here.ts"
import { startReceiver } from "../support/webhooks/receiver.ts"

afterEach(() => void vi.restoreAllMocks())

interface Line {
  readonly message?: string
  readonly requestId?: string
  readonly traceId?: string
  readonly spanId?: string
}

const callers = "4bf92f3577b34da6a3ce929d0e0e4736"

it.scopedLive("with traces, the access line and the error lines of a request name its trace and span", () =>
  Effect.gen(function* () {
    const program = yield* startHere(yield* freshDatabase, {
      LOG_FORMAT: "json",
      LOG_LEVEL: "info",
      SEED_DEMO: "false",
      SIGNUP: "open",
      OTEL_EXPORTER_OTLP_ENDPOINT: new URL((yield* startReceiver).url).origin
    })
    const linesOf = (requestId: string, count: number) =>
      eventually(
        `${count} lines of ${requestId}`,
        Effect.sync(() =>
          program
            .output()
            .split("\n")
            .filter((line) => line.includes(`"requestId":"${requestId}"`) && line.endsWith("}"))
            .map((line): Line => JSON.parse(line))
        ),
        ({ length }) => length >= count
      )
    const { key } = yield* onboard(program)
    const ask = (requestId: string, path: string) =>
      send(program, "GET", path, {
        headers: {
          "x-request-id": requestId,
          "x-api-key": key.token,
          traceparent: `00-${callers}-00f067aa0ba902b7-01`
        }
      })
    const spans = new Set<string>()
    for (const [requestId, path, status] of [
      ["routed", "/healthz", 200],
      ["unrouted", "/no/such/path", 404],
      ["through-the-gateway", "/gateway/none/none/v/1/", 401]
    ] as const) {
      expect((yield* ask(requestId, path)).status).toBe(status)
      const [line] = yield* linesOf(requestId, 1)
      expect(line).toMatchObject({ message: "request", traceId: callers })
      expect(line?.spanId).toMatch(/^[0-9a-f]{16}$/)
      spans.add(String(line?.spanId))
    }
    expect(spans.size).toBe(3)
    const failed = yield* withoutTable(program, "kyc_sessions", ask("failing", "/api/kyc/sessions"))
    expect(failed.status).toBe(500)
    const lines = yield* linesOf("failing", 2)
    expect(lines.map(({ message }) => message).sort()).toEqual(["Request failed", "request"])
    expect(new Set(lines.map(({ traceId }) => traceId))).toEqual(new Set([callers]))
    expect(new Set(lines.map(({ spanId }) => spanId)).size).toBe(1)
  })
)
