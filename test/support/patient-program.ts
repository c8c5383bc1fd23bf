/** `bun start` with the timeouts of tests: for a program that has so much to do that it reaches the service's own on a slow machine. */
import { Effect, Layer } from "effect"
import { launch } from "../../src/process/launch.ts"
import { programOf } from "../../src/process/program.ts"
import { patient } from "./run/timeouts.ts"

launch(Layer.provide(programOf(process.env), patient), (sentence) =>
  Effect.sync(() => void process.stderr.write(`doorlock: ${sentence}\n`))
)
