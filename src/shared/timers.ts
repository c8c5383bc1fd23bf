/** Timers without Effect, in milliseconds: for `timing.ts`, and for a program that starts for each file and would load Effect for nothing else. */

/** A timer that has been started. */
export interface Timer {
  readonly cancel: () => void
}

/** Runs once. */
export const after = (millis: number, run: () => void): Timer => {
  const timer = setTimeout(run, millis)
  return { cancel: () => clearTimeout(timer) }
}

/** Runs again and again, and keeps no process alive. */
export const every = (millis: number, run: () => void): Timer => {
  const timer = setInterval(run, millis)
  timer.unref()
  return { cancel: () => clearInterval(timer) }
}
