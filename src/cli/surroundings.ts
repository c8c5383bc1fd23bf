/** The environment in which a command line runs. */
import { Context } from "effect"

export interface Output {
  /** Whether it is a terminal. */
  readonly isTTY: boolean
  /** Calls `done` when the text is written, or when nobody is left to read it. */
  readonly write: (text: string, done?: () => void) => unknown
}

export interface Shape {
  /** Configures the command as it configures the service. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly stdin: {
    /** Whether it is a terminal, so the user can be asked. */
    readonly isTTY: boolean
    /** All bytes of the input. The stream opens only when this is called. */
    readonly stream: () => ReadableStream<Uint8Array>
  }
  readonly stdout: Output
  readonly stderr: Output
}

/** Those of this process, unless the caller provides others. */
export class Surroundings extends Context.Reference<Surroundings>()("cli/Surroundings", {
  defaultValue: (): Shape => ({
    environment: process.env,
    stdin: { isTTY: process.stdin.isTTY, stream: () => Bun.stdin.stream() },
    stdout: process.stdout,
    stderr: process.stderr
  })
}) {}
