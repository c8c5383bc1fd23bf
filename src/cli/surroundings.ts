import { Context } from "effect"

export interface Output {
  readonly isTTY: boolean
  /** Calls `done` when the text is written, or when nobody is left to read it. */
  readonly write: (text: string, done?: () => void) => unknown
}

export interface Shape {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly stdin: {
    readonly isTTY: boolean
    /** The stream opens only when this is called. */
    readonly stream: () => ReadableStream<Uint8Array>
  }
  readonly stdout: Output
  readonly stderr: Output
}

/** What a command line runs in: this process, unless the caller provides others. */
export class Surroundings extends Context.Reference<Surroundings>()("cli/Surroundings", {
  defaultValue: (): Shape => ({
    environment: process.env,
    stdin: { isTTY: process.stdin.isTTY, stream: () => Bun.stdin.stream() },
    stdout: process.stdout,
    stderr: process.stderr
  })
}) {}
