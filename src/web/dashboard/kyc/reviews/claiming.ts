import { useEffect, useRef, useState } from "preact/hooks"
import { after, dashboardTimes, signal, type Timer } from "../../../timing.ts"
import { type ApiFailure, doorlock, failureOf } from "../../common/call.ts"
import { pauseAfter } from "../../common/live.ts"
import { isDeciding, unsettled } from "./deciding.ts"

/** A claim that is not refused stays "mine" if it cannot be renewed; `failure` then says why, until it is renewed. */
export interface Claiming {
  readonly state: "asking" | "mine" | "refused"
  readonly failure?: ApiFailure
}

/** The session is somebody else's, or decided, or the user may not review it. Any other failure says nothing about the claim. */
const refusals: ReadonlyArray<number> = [403, 404, 409]

interface Held {
  readonly sessionId: string
  readonly release: () => Promise<void>
  readonly renew: () => void
}

/** The claims of the open page. */
const held = new Set<Held>()

/** If it fails, the claim ends by itself. */
const release = async (id: string): Promise<void> => {
  await doorlock.reviews
    .release(id, { keepalive: true, signal: signal(dashboardTimes.releaseClaim) })
    .catch(() => undefined)
}

/** Gives up the claim of a decision that failed and that the user does not go on with, unless its page is open. */
export const releaseFailed = (sessionId: string): void => {
  if (![...held].some((claim) => claim.sessionId === sessionId)) void release(sessionId)
}

/** Gives up all claims, as the user signs out. */
export const releaseClaims = async (): Promise<void> => {
  const failed = unsettled().filter(({ state }) => state === "failed")
  await Promise.all([
    ...[...held].map((claim) => claim.release()),
    ...failed.map(({ sessionId }) => release(sessionId))
  ])
}

/** Claims again what was released, as the user could not be signed out. */
export const renewClaims = (): void => {
  for (const { renew } of held) renew()
}

/**
 * Claims a session while the user is at its page: renews the claim, and gives it up when they leave, unless a decision
 * is on its way. Calls `onRenewed` after each renewal.
 */
export const useClaim = (sessionId: string, wanted: boolean, onRenewed: () => void): Claiming => {
  const [claiming, setClaiming] = useState<Claiming>({ state: "asking" })
  const renewed = useRef(onRenewed)
  renewed.current = onRenewed
  useEffect(() => {
    if (!wanted) return undefined
    /** Whether the server may know of a claim. */
    let mayBeHeld = false
    let isAsking = false
    let isOver = false
    let failures = 0
    let timer: Timer | undefined

    const giveUp = async () => {
      if (!mayBeHeld || isDeciding(sessionId)) return
      mayBeHeld = false
      await release(sessionId)
    }
    const claimed = () => {
      if (failures > 0 || mayBeHeld) renewed.current()
      failures = 0
      mayBeHeld = true
      setClaiming({ state: "mine" })
    }
    const failed = (failure: ApiFailure) => {
      const isRefused = refusals.includes(failure.status)
      failures = isRefused ? 0 : failures + 1
      mayBeHeld = !isRefused
      setClaiming(({ state }) => ({
        state: isRefused ? "refused" : state === "mine" ? "mine" : "asking",
        failure
      }))
    }
    const claim = async () => {
      if (isAsking || isOver || document.visibilityState === "hidden") return
      timer?.cancel()
      isAsking = true
      const failure = await doorlock.reviews.claim(sessionId).then(() => undefined, failureOf)
      isAsking = false
      if (isOver) {
        mayBeHeld ||= failure === undefined
        void giveUp()
        return
      }
      if (failure === undefined) claimed()
      else failed(failure)
      timer = after(failures === 0 ? dashboardTimes.renewClaim : pauseAfter(failures), renew)
    }
    const renew = () => void claim()
    const leave = () => void giveUp()
    const mine: Held = { sessionId, release: giveUp, renew }
    held.add(mine)
    renew()
    document.addEventListener("visibilitychange", renew)
    addEventListener("pageshow", renew)
    addEventListener("online", renew)
    addEventListener("pagehide", leave)
    return () => {
      isOver = true
      setClaiming({ state: "asking" })
      held.delete(mine)
      timer?.cancel()
      document.removeEventListener("visibilitychange", renew)
      removeEventListener("pageshow", renew)
      removeEventListener("online", renew)
      removeEventListener("pagehide", leave)
      leave()
    }
  }, [sessionId, wanted])
  return claiming
}
