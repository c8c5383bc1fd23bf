import { useEffect, useRef } from "preact/hooks"
import { after, dashboardTimes, type Timer } from "../../timing.ts"
import { createStore, useStore } from "../../ui/store.ts"
import type { ApiFailure } from "./call.ts"

/** How long to wait after this many failures in a row, in milliseconds. */
export const pauseAfter = (failures: number): number => {
  const pause = Math.min(dashboardTimes.live * 2 ** failures, dashboardTimes.longestLive)
  // After an outage, not all pages ask at the same moment.
  return failures === 0 ? pause : pause * (0.75 + Math.random() / 2)
}

/** The parts of the page whose last call failed. */
const failing = new Set<object>()
const connection = createStore({ isLost: false })

const note = (part: object, isLost: boolean): void => {
  if (isLost) failing.add(part)
  else failing.delete(part)
  connection.set({ isLost: failing.size > 0 })
}

/** Whether the page may be out of date because the server does not answer. */
export const useIsLost = (): boolean => useStore(connection).isLost

/**
 * Calls `refresh` every two seconds while somebody may be looking: not in a hidden tab, and not before the last call has ended. A tab
 * that is shown again, or is online again, calls at once. `refresh` resolves to why there was no answer: then the pauses grow to a minute.
 *
 * A call is a GET that uses an index: 1 to 3 ms of the server's processor time, and 0.5 to 6 kB. Server-sent events would hold a
 * connection per tab, of which HTTP/1.1 allows six for all tabs together.
 */
export const useLive = (refresh: () => Promise<ApiFailure | undefined>): void => {
  const latest = useRef(refresh)
  latest.current = refresh
  useEffect(() => {
    const part = {}
    let timer: Timer | undefined
    let failures = 0
    let asking = false
    let ended = false

    const wait = () => {
      timer = after(pauseAfter(failures), () => void ask())
    }
    const ask = async () => {
      timer?.cancel()
      if (asking || document.visibilityState === "hidden") return
      asking = true
      const failure = await latest.current()
      asking = false
      if (ended) return
      failures = failure === undefined ? 0 : failures + 1
      note(part, failure !== undefined && (failure.status === 0 || failure.status >= 500))
      wait()
    }
    const askNow = () => void ask()

    document.addEventListener("visibilitychange", askNow)
    addEventListener("online", askNow)
    wait()
    return () => {
      ended = true
      timer?.cancel()
      document.removeEventListener("visibilitychange", askNow)
      removeEventListener("online", askNow)
      note(part, false)
    }
  }, [])
}
