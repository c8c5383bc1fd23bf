import { writeFile } from "node:fs/promises"
import * as Options from "@effect/cli/Options"
import { Effect, Option } from "effect"
import { readConfiguration } from "../config.ts"
import { command, option } from "./command.ts"
import { type LoadContract, refused } from "./failures.ts"
import { Surroundings } from "./surroundings.ts"

export const openapi = (contract: LoadContract) =>
  command(
    "openapi",
    "Write the API's OpenAPI document, as served at /openapi.json. Needs no database.",
    {
      output: option("output", "file", "Where to write it. Default: standard output.").pipe(Options.optional)
    },
    ({ output }) =>
      Effect.gen(function* () {
        const { environment } = yield* Surroundings
        const { baseUrl } = yield* readConfiguration(environment)
        const { Api } = yield* Effect.promise(contract)
        const { documentText } = yield* Effect.promise(() => import("../http/runtime/document.ts"))
        const { describe } = yield* Effect.promise(() => import("../http/contract/openapi.ts"))
        const text = documentText(describe(Api, baseUrl))
        if (Option.isNone(output)) return { text }
        const file = output.value
        yield* Effect.tryPromise({
          try: () => writeFile(file, text),
          catch: (error) =>
            refused(`${file} cannot be written: ${error instanceof Error ? error.message : error}.`)
        })
        return { value: { file, bytes: Buffer.byteLength(text) }, words: () => `Wrote ${file}` }
      })
  )
