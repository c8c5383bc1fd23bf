/** A flood of made-up credentials from a separate process. */
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import type { RunningServer } from "../server.ts"

export const madeUp = ["platform keys", "marketplace keys", "session tokens"] as const

export interface Flood {
  readonly kind: (typeof madeUp)[number]
  /** The client address to claim. */
  readonly address: string
  /** Each connection sends its next request as soon as it has a response. */
  readonly connections: number
}

/** The number of responses by status. */
export type FloodAnswers = Readonly<Record<string, number>>

const program = join(import.meta.dirname, "flood-program.ts")

/** Floods until the scope closes. `answers` returns the counts so far; dies if the process has ended. */
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
