/** Measures how late timers fire, which shows how long one task blocks the process. */
import { Timing } from "../shared/timing.ts"

const timing = Timing.defaultValue()
const distance = timing.pause("observability.event_loop")

/** One minute. */
const lags = new Float64Array(60_000 / distance)
let taken = 0
let due = performance.now() + distance

timing.every("observability.event_loop", () => {
  const now = performance.now()
  lags[taken % lags.length] = Math.max(0, now - due)
  taken++
  // Samples missed during a long block are not made up.
  due = now + distance
})

/** In seconds, over the last minute. */
export const eventLoopLag = (): { readonly p50: number; readonly p99: number; readonly max: number } => {
  const sorted = lags.slice(0, Math.min(taken, lags.length)).sort()
  const at = (share: number) => (sorted[Math.ceil(share * sorted.length) - 1] ?? 0) / 1_000
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}
