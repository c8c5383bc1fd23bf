import { readFile } from "node:fs/promises"
import { Effect } from "effect"
import { messageOf } from "../shared/error.ts"
import { type CommandFailed, misused } from "./failures.ts"
import { oneLine } from "./output.ts"
import { Surroundings } from "./surroundings.ts"

/** More than any document in a file may have. */
const maxBytes = 16_777_216

/** YAML if the file's name says so, otherwise JSON. `-` is standard input, in either format. */
export const readDocument = (file: string): Effect.Effect<unknown, CommandFailed> =>
  Effect.gen(function* () {
    const { stdin } = yield* Surroundings
    const text = yield* Effect.tryPromise({
      try: () => (file === "-" ? new Response(stdin.stream()).text() : readFile(file, "utf8")),
      catch: (error) => misused(`The file ${file} cannot be read: ${oneLine(messageOf(error))}.`)
    })
    if (text.length > maxBytes) return yield* misused(`The file ${file} is too large.`)
    const yaml = file === "-" ? !/^\s*[{[]/.test(text) : /\.ya?ml$/i.test(file)
    return yield* Effect.try({
      try: (): unknown => (yaml ? Bun.YAML.parse(text) : JSON.parse(text)),
      catch: (error) =>
        misused(`The file ${file} is not valid ${yaml ? "YAML" : "JSON"}: ${oneLine(messageOf(error))}.`)
    })
  })
