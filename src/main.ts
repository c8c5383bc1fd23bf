/** `bun start`. */
import { Effect } from "effect"
import { launch } from "./launch.ts"
import { programOf } from "./program.ts"

launch(programOf(process.env), (sentence) =>
  Effect.sync(() => void process.stderr.write(`doorlock: ${sentence}\n`))
)
