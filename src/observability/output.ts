/** Standard output, written in batches: a system call per line would be a large part of a request's time. */
const pending: Array<string> = []
let scheduled = false

/** Writes the pending lines now. Called at exit, so the last lines are not lost. */
export const flushOutput = (): void => {
  scheduled = false
  if (pending.length === 0) return
  process.stdout.write(pending.splice(0).join(""))
}

/** Queues one line, which is written within a few milliseconds. */
export const writeLine = (line: string): void => {
  pending.push(`${line}\n`)
  if (scheduled) return
  scheduled = true
  setTimeout(flushOutput, 5)
}

process.on("exit", flushOutput)
