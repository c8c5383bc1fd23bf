/** How long the client waits, in milliseconds, and the only timers that it starts. */
export const times = {
  /** For an answer. */
  timeout: 30_000,
  /** Before the first repetition; then twice as long each time, up to the longest. */
  backoff: 500,
  longestBackoff: 8_000,
  /** Before a repetition, if the server names the time. */
  longestRetryDelay: 30_000
} as const

/** About 25 days. A longer timer would end at once. */
export const longestTimer = 2 ** 31 - 1

/** Runs once. Returns how to cancel it. */
export const after = (milliseconds: number, run: () => void): (() => void) => {
  const timer = setTimeout(run, milliseconds)
  return () => clearTimeout(timer)
}

/** Rejects with the signal's reason once that is aborted. */
export const wait = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = after(milliseconds, () => {
      signal?.removeEventListener("abort", stop)
      resolve()
    })
    signal?.addEventListener("abort", stop, { once: true })
  })
