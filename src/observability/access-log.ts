import { Context, Effect, Layer, LogLevel } from "effect"
import type { AnySpan } from "effect/Tracer"
import { Config } from "../config.ts"
import type { RequestInfo } from "../shared/current-request.ts"
import { requestDuration } from "./metrics.ts"
import { writeLine } from "./output.ts"
import { redact, redactUrl } from "./redact.ts"

interface AccessEntry extends Pick<RequestInfo, "clientAddress" | "id"> {
  readonly method: string
  readonly route: string
  /** Path and query as received, unredacted. */
  readonly url: string
  readonly status: number
  /** Monotonic. */
  readonly started: number
  readonly span: AnySpan | undefined
}

export type AccessLog = (entry: AccessEntry) => void

const lines = {
  json: ({ clientAddress, id, method, route, span, status, url }: AccessEntry, milliseconds: number) =>
    JSON.stringify({
      timestamp: new Date().toISOString(),
      level: "INFO",
      message: "request",
      method,
      route,
      url: redactUrl(url),
      status,
      durationMs: Math.round(milliseconds * 1000) / 1000,
      requestId: redact(id),
      clientAddress: clientAddress(),
      ...(span === undefined ? undefined : { traceId: span.traceId, spanId: span.spanId })
    }),
  pretty: ({ id, method, status, url }: AccessEntry, milliseconds: number) =>
    `${new Date().toISOString().slice(11, 23)} ${status} ${method} ${redactUrl(url)} ${milliseconds.toFixed(1)} ms ${redact(id)}`
}

/** Records each request in metrics and log, outside the fiber runtime, which costs too much per request. */
export class AccessLogger extends Context.Tag("AccessLogger")<AccessLogger, AccessLog>() {
  static readonly layer = Layer.effect(
    AccessLogger,
    Effect.map(Config, ({ logFormat, logLevel }): AccessLog => {
      const isSilent = LogLevel.greaterThan(logLevel, LogLevel.Info)
      const line = lines[logFormat]
      return (entry) => {
        const milliseconds = performance.now() - entry.started
        requestDuration.observe(entry.method, entry.route, entry.status, milliseconds / 1_000)
        if (!isSilent) writeLine(line(entry, milliseconds))
      }
    })
  )
}
