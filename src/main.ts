/** `bun start`. */
import { Effect } from "effect"
import { launch } from "./process/launch.ts"
import { programOf } from "./process/program.ts"

launch(programOf(process.env), (sentence) =>
  Effect.sync(() => void process.stderr.write(`doorlock: ${sentence}\n`))
)
