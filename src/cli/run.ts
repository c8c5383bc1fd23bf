import { stripVTControlCharacters } from "node:util"
import type * as ValidationError from "@effect/cli/ValidationError"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import type * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { type Explained, exitCodes, explain } from "./failures.ts"
import { type Audience, audience, jsonText, logging, Reader, writeAnswer, writeAside } from "./output.ts"

/** Says why the command failed: to a program as its answer, to people beside it. */
const report = ({ details, exitCode, sentence }: Explained, json: boolean) =>
  Effect.gen(function* () {
    if (sentence === undefined) return
    if (json) yield* writeAnswer(jsonText({ error: sentence }))
    else yield* writeAside(`doorlock: ${sentence}\n`)
    if (details !== undefined) yield* writeAside(`${details}\n`)
    if (!json && exitCode === exitCodes.usage) yield* writeAside("Add --help to see how it is used.\n")
  })

/** Answers with a text for people; a program gets it as JSON. */
export const answerText = (text: string, { json }: Audience): Effect.Effect<void> =>
  writeAnswer(json ? jsonText({ text: stripVTControlCharacters(text).trimEnd() }) : `${text}\n`)

/** What the parser prints are answers, such as completions; what it complains of is reported once the command has failed. */
const parsersConsole = (reader: Audience) =>
  Console.consoleWith((standard) =>
    Effect.succeed<Console.Console>({
      ...standard,
      log: (text) => answerText(String(text), reader),
      error: () => Effect.void
    })
  )

/** Runs a command to its end, and the process with it. */
export const run = <E>(
  command: Effect.Effect<void, E | ValidationError.ValidationError, Reader>,
  json: boolean
): void => {
  // The first signal ends the command in order, the embedded database with it. Another must not cut that short.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {})

  // Whoever reads may go away before the end, such as `head`: that is no fault.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})

  const reader = audience(json)
  const withConsole = Effect.flatMap(parsersConsole(reader), (console) =>
    Console.withConsole(command, console)
  )
  let exitCode: number = exitCodes.done
  const ended = (cause: Cause.Cause<unknown>) =>
    Effect.flatMap(explain(cause), (explained) => {
      exitCode = explained.exitCode
      return report(explained, json)
    })
  BunRuntime.runMain(
    Effect.uninterruptibleMask((restore) =>
      restore(withConsole).pipe(
        Effect.provideService(Reader, reader),
        Effect.provide(Layer.merge(logging, Layer.setTracerEnabled(false))),
        Effect.exit,
        Effect.flatMap((exit) => (Exit.isSuccess(exit) ? Effect.void : ended(exit.cause)))
      )
    ),
    {
      disableErrorReporting: true,
      disablePrettyLogger: true,
      teardown: (_, end) => end(exitCode)
    }
  )
}
