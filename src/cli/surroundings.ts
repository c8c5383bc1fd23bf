/** What a command line is run in. */
import * as Context from "effect/Context"

/** Where a command writes. */
export interface Output {
  /** Whether somebody sits before it. */
  readonly isTTY: boolean
  /** `done` is called when the text is written, or nobody is there to read it. */
  readonly write: (text: string, done?: () => void) => unknown
}

export interface Shape {
  /** Configures the command, as it does the service. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly stdin: {
    /** Whether somebody sits before it, and can be asked. */
    readonly isTTY: boolean
    /** All its bytes; it is opened only once it is asked for. */
    readonly stream: () => ReadableStream<Uint8Array>
  }
  readonly stdout: Output
  readonly stderr: Output
}

/** Those of this process, unless whoever runs a command gives it others. */
export class Surroundings extends Context.Reference<Surroundings>()("cli/Surroundings", {
  defaultValue: (): Shape => ({
    environment: process.env,
    stdin: { isTTY: process.stdin.isTTY, stream: () => Bun.stdin.stream() },
    stdout: process.stdout,
    stderr: process.stderr
  })
}) {}
