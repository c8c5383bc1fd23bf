/** Standard output in batches: a system call per line would cost much of a request's time. */
import { Timing } from "../shared/timing.ts"

const timing = Timing.defaultValue()
const pending: Array<string> = []
let scheduled = false

export const flushOutput = (): void => {
  scheduled = false
  if (pending.length === 0) return
  process.stdout.write(pending.splice(0).join(""))
}

/** Written within a few milliseconds. */
export const writeLine = (line: string): void => {
  pending.push(`${line}\n`)
  if (scheduled) return
  scheduled = true
  timing.after(timing.pause("observability.output"), flushOutput)
}

process.on("exit", flushOutput)
