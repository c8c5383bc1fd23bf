import { join } from "node:path"
import { Effect, type Redacted, type Scope } from "effect"
import { eventually } from "../eventually.ts"
import { childProgram } from "../run/child-program.ts"
import type { Order } from "./metering-program.ts"

const program = join(import.meta.dirname, "metering-program.ts")

export interface MeteringProcess {
  readonly order: (order: Order) => Effect.Effect<void>
  /** The output so far: the admitted calls. */
  readonly answers: () => ReadonlyArray<number>
  /** Sends the signal and waits until the process has ended. */
  readonly end: (signal: NodeJS.Signals) => Effect.Effect<void>
}

/** Runs `metering-program` as a separate process, killed with the scope if still running. */
export const meteringProcess = (
  databaseUrl: Redacted.Redacted,
  environment: Readonly<Record<string, string>> = {}
): Effect.Effect<MeteringProcess, Error, Scope.Scope> =>
  Effect.gen(function* () {
    const { child, end } = yield* childProgram(program, databaseUrl, environment)
    let output = ""
    child.stdout.on("data", (chunk: string) => {
      output += chunk
    })
    yield* eventually("the process is ready", () => output.startsWith("ready\n"))
    return {
      order: (order) => Effect.sync(() => void child.stdin.write(`${JSON.stringify(order)}\n`)),
      answers: () => output.slice(0, output.lastIndexOf("\n")).split("\n").slice(1).map(Number),
      end
    }
  })
