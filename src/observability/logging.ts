import { Cause, Context, Effect, FiberRef, FiberRefs, HashMap, Layer, Logger } from "effect"
import { ParentSpan } from "effect/Tracer"
import { Config } from "../config.ts"
import { writeLine } from "./output.ts"
import { redact } from "./redact.ts"

const text = (message: unknown): string =>
  (Array.isArray(message) ? message : [message])
    .map((part) => (typeof part === "string" ? part : (JSON.stringify(part) ?? String(part))))
    .join(" ")

const traced = (context: FiberRefs.FiberRefs): Readonly<Record<string, string>> => {
  const span = Context.getOption(FiberRefs.getOrDefault(context, FiberRef.currentContext), ParentSpan)
  // With tracing off, there is still a placeholder span.
  return span._tag === "None" || span.value.traceId === "noop"
    ? {}
    : { traceId: span.value.traceId, spanId: span.value.spanId }
}

const json = Logger.make(({ annotations, cause, context, date, logLevel, message }) => {
  const line = JSON.stringify({
    timestamp: date.toISOString(),
    level: logLevel.label,
    message: text(message),
    ...traced(context),
    ...Object.fromEntries(HashMap.toEntries(annotations)),
    ...(Cause.isEmpty(cause) ? undefined : { cause: Cause.pretty(cause, { renderErrorCause: true }) })
  })
  writeLine(redact(line))
})

const pretty = Logger.make(({ annotations, cause, date, logLevel, message }) => {
  const details = HashMap.toEntries(annotations).map(([key, value]) => ` ${key}=${text(value)}`)
  const trace = Cause.isEmpty(cause) ? "" : `\n${Cause.pretty(cause, { renderErrorCause: true })}`
  writeLine(
    redact(
      `${date.toISOString().slice(11, 23)} ${logLevel.label} ${text(message)}${details.join("")}${trace}`
    )
  )
})

/** Logs on standard output from `LOG_LEVEL` up, redacted. */
export const layer = Layer.unwrapEffect(
  Effect.map(Config, ({ logFormat, logLevel }) =>
    Layer.merge(
      Logger.replace(Logger.defaultLogger, logFormat === "json" ? json : pretty),
      Logger.minimumLogLevel(logLevel)
    )
  )
)
