/** A flood of made-up credentials, by a process of its own. */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { RunningServer } from "./server.ts"

export interface Flood {
  readonly kind: "platform keys" | "marketplace keys" | "session tokens"
  /** From where it says it comes. */
  readonly address: string
  readonly connections: number
  /** Requests a second at most; undefined: as many as are answered. */
  readonly rate?: number
}

const program = join(import.meta.dirname, "flood-program.ts")

/** Goes on until the scope closes, or until it is asked what it was answered: how often with which status. */
export const flooding = (
  server: Pick<RunningServer, "url">,
  { address, connections, kind, rate = 0 }: Flood
): Effect.Effect<{ readonly ended: Effect.Effect<Readonly<Record<string, number>>> }, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() =>
        Bun.spawn([process.execPath, program, server.url, kind, address, String(connections), String(rate)], {
          stdin: "pipe",
          stdout: "pipe",
          stderr: "inherit"
        })
      ),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    ),
    (child) => ({
      ended: Effect.promise(async () => {
        child.stdin.end()
        return JSON.parse(await new Response(child.stdout).text())
      })
    })
  )
