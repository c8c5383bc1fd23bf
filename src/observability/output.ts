/**
 * Standard output, written in batches: a system call a line would be a good part of a request's time.
 */
const pending: Array<string> = []
let scheduled = false

/** Writes what is pending, now. Called at exit, so that the last lines are not lost. */
export const flushOutput = (): void => {
  scheduled = false
  if (pending.length === 0) return
  process.stdout.write(pending.splice(0).join(""))
}

/** Queues one line; it is out within some milliseconds. */
export const writeLine = (line: string): void => {
  pending.push(`${line}\n`)
  if (scheduled) return
  scheduled = true
  setTimeout(flushOutput, 5)
}

process.on("exit", flushOutput)
