/** How late timers are: for so long the process did nothing but one thing. */

/** Milliseconds between two samples. */
const distance = 100

/** A minute of samples. */
const lags = new Float64Array(60_000 / distance)
let taken = 0
let due = performance.now() + distance

setInterval(() => {
  const now = performance.now()
  lags[taken % lags.length] = Math.max(0, now - due)
  taken++
  // From now on: after a long stop, what was missed is not made up for.
  due = now + distance
}, distance).unref()

/** Seconds, of the last minute: what half of the samples, 99 in a hundred, and all stayed below. */
export const eventLoopLag = (): { readonly p50: number; readonly p99: number; readonly max: number } => {
  const sorted = lags.slice(0, Math.min(taken, lags.length)).sort()
  const at = (share: number) => (sorted[Math.ceil(share * sorted.length) - 1] ?? 0) / 1_000
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}
