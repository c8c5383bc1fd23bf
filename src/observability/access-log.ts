import { Context, Effect, Layer, LogLevel } from "effect"
import type { AnySpan } from "effect/Tracer"
import { Config } from "../config.ts"
import { requestDuration } from "./metrics.ts"
import { writeLine } from "./output.ts"
import { redact, redactUrl } from "./redact.ts"

interface AccessEntry {
  readonly method: string
  readonly route: string
  /** Path and query as received, unredacted. */
  readonly url: string
  readonly status: number
  readonly milliseconds: number
  readonly requestId: string
  readonly clientAddress: () => string
  readonly span: AnySpan | undefined
}

export interface AccessLog {
  readonly write: (entry: AccessEntry) => void
}

const silent: AccessLog = { write: () => {} }

const json: AccessLog = {
  write: (entry) =>
    writeLine(
      JSON.stringify({
        timestamp: new Date().toISOString(),
        level: "INFO",
        message: "request",
        method: entry.method,
        route: entry.route,
        url: redactUrl(entry.url),
        status: entry.status,
        durationMs: Math.round(entry.milliseconds * 1000) / 1000,
        requestId: redact(entry.requestId),
        clientAddress: entry.clientAddress(),
        ...(entry.span === undefined ? undefined : { traceId: entry.span.traceId, spanId: entry.span.spanId })
      })
    )
}

const pretty: AccessLog = {
  write: (entry) =>
    writeLine(
      `${new Date().toISOString().slice(11, 23)} ${entry.status} ${entry.method} ${redactUrl(entry.url)} ${entry.milliseconds.toFixed(1)} ms ${redact(entry.requestId)}`
    )
}

const measured = (log: AccessLog): AccessLog => ({
  write: (entry) => {
    requestDuration.observe(entry.method, entry.route, entry.status, entry.milliseconds / 1_000)
    log.write(entry)
  }
})

/** Records each request in metrics and log, outside the fiber runtime, which costs too much per request. */
export class AccessLogger extends Context.Tag("AccessLogger")<AccessLogger, AccessLog>() {
  static readonly layer = Layer.effect(
    AccessLogger,
    Effect.map(Config, ({ logFormat, logLevel }) => {
      if (LogLevel.greaterThan(logLevel, LogLevel.Info)) return measured(silent)
      return measured(logFormat === "json" ? json : pretty)
    })
  )
}
