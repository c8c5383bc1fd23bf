/** Writes the answer to standard output, everything else to standard error. */
import { stripVTControlCharacters, styleText } from "node:util"
import { Cause, Context, Effect, Layer, Logger, LogLevel } from "effect"
import { redact } from "../observability/redact.ts"
import { Timing } from "../shared/timing.ts"
import { type Output, type Shape, Surroundings } from "./surroundings.ts"

export type Paint = (colour: "bold" | "dim" | "red" | "green" | "yellow", text: string) => string

const plain: Paint = (_, text) => text
const painted: Paint = (colour, text) => styleText(colour, text, { validateStream: false })

export interface Format {
  /** A program, which gets one JSON value. */
  readonly json: boolean
  readonly paint: Paint
}

export class OutputFormat extends Context.Tag("cli/OutputFormat")<OutputFormat, Format>() {}

const showsColours = (output: Output, { NO_COLOR, TERM }: Shape["environment"]): boolean =>
  output.isTTY && !NO_COLOR && TERM !== "dumb"

export const outputFormat = (json: boolean): Effect.Effect<Format> =>
  Effect.map(Surroundings, ({ environment, stdout }) => ({
    json,
    paint: showsColours(stdout, environment) ? painted : plain
  }))

/** Completes when all is written, or the reader has closed the pipe, so that the process may exit. */
const writeTo = (output: "stdout" | "stderr", text: string): Effect.Effect<void> =>
  Effect.flatMap(Surroundings, ({ [output]: stream, environment }) =>
    Effect.async((resume) => {
      const fitting = showsColours(stream, environment) ? text : stripVTControlCharacters(text)
      stream.write(fitting, () => resume(Effect.void))
    })
  )

export const writeAnswer = (text: string): Effect.Effect<void> => writeTo("stdout", text)

export const writeAside = (text: string): Effect.Effect<void> => writeTo("stderr", text)

export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

const widthOf = (text: string): number => Bun.stringWidth(text)

/** Left-aligned columns, without trailing spaces. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = rows.reduce<ReadonlyArray<number>>(
    (widest, row) => row.map((cell, index) => Math.max(widest[index] ?? 0, widthOf(cell))),
    []
  )
  return rows
    .map((row) =>
      row
        .map((cell, index) => cell + " ".repeat((widths[index] ?? 0) - widthOf(cell)))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

/** Makes foreign text one line that cannot control the terminal. */
export const oneLine = (text: string): string =>
  stripVTControlCharacters(text).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")

/** Shows slow work on a terminal. */
export const withProgress =
  (doing: string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Effect.all([Surroundings, Timing]), ([{ environment, stderr }, timing]) => {
      if (!stderr.isTTY || environment.TERM === "dumb") return work
      let shown = false
      const timer = timing.after(timing.pause("cli.progress"), () => {
        shown = true
        stderr.write(`${doing} ...`)
      })
      const end = Effect.sync(() => {
        timer.cancel()
        if (shown) stderr.write("\r\u001b[2K")
      })
      return Effect.ensuring(work, end)
    })

const asides = ({ stderr }: Shape) =>
  Logger.make(({ cause, logLevel, message }) => {
    const words = (Array.isArray(message) ? message : [message]).map(String).join(" ")
    const trace = Cause.isEmpty(cause) ? "" : `\n${Cause.pretty(cause, { renderErrorCause: true })}`
    stderr.write(`${redact(`${logLevel.label}: ${words}${trace}`)}\n`)
  })

/** Logs warnings and above, unless `--log-level` asks for more. */
export const logging: Layer.Layer<never> = Layer.merge(
  Layer.unwrapEffect(
    Effect.map(Surroundings, (surroundings) => Logger.replace(Logger.defaultLogger, asides(surroundings)))
  ),
  Logger.minimumLogLevel(LogLevel.Warning)
)
