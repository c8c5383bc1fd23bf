/** A flood of made-up credentials, by a process of its own. */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { RunningServer } from "../server.ts"

export const madeUp = ["platform keys", "marketplace keys", "session tokens"] as const

export interface Flood {
  readonly kind: (typeof madeUp)[number]
  /** From where it says it comes. */
  readonly address: string
  /** Each asks again as soon as it is answered. */
  readonly connections: number
}

/** How often it was answered with which status. */
export type FloodAnswers = Readonly<Record<string, number>>

const program = join(import.meta.dirname, "flood-program.ts")

/** Goes on until the scope closes. `answers` asks it what it was answered so far; dies when it has ended. */
export const flooding = (
  server: Pick<RunningServer, "url">,
  { address, connections, kind }: Flood
): Effect.Effect<{ readonly answers: Effect.Effect<FloodAnswers> }, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() =>
        Bun.spawn([process.execPath, program, server.url, kind, address, String(connections)], {
          stdin: "pipe",
          stdout: "pipe",
          stderr: "inherit"
        })
      ),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    ),
    (child) => {
      const reader = child.stdout.getReader()
      const decoder = new TextDecoder()
      let received = ""
      const line = async (): Promise<string> => {
        for (;;) {
          const end = received.indexOf("\n")
          if (end !== -1) {
            const first = received.slice(0, end)
            received = received.slice(end + 1)
            return first
          }
          const { done, value } = await reader.read()
          if (done) throw new Error("The flood has ended")
          received += decoder.decode(value, { stream: true })
        }
      }
      return {
        answers: Effect.promise(async () => {
          child.stdin.write("\n")
          child.stdin.flush()
          return JSON.parse(await line())
        })
      }
    }
  )
