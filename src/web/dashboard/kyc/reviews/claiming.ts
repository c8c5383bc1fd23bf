import { useEffect, useState } from "preact/hooks"
import { type ApiFailure, call, failureOf } from "../../common/call.ts"
import { isDeciding } from "./deciding.ts"

export type Claiming =
  | { readonly state: "asking" | "mine" }
  | { readonly state: "refused"; readonly failure: ApiFailure }

/** A claim lasts 15 minutes after it was last renewed. */
const renewAfter = 300_000

/**
 * Claims a session while the user is at its page: renews the claim, and gives it up when they leave, unless a decision
 * is on its way.
 */
export const useClaim = (sessionId: string, wanted: boolean): Claiming => {
  const [claiming, setClaiming] = useState<Claiming>({ state: "asking" })
  useEffect(() => {
    if (!wanted) return undefined
    const path = { id: sessionId }
    let isHeld = false
    let isOver = false
    const claim = async () => {
      if (document.visibilityState === "hidden") return
      try {
        await call("kyc-reviews.claim", { path })
        isHeld = true
        if (isOver) release()
        else setClaiming({ state: "mine" })
      } catch (cause) {
        isHeld = false
        if (!isOver) setClaiming({ state: "refused", failure: failureOf(cause) })
      }
    }
    const release = () => {
      if (!isHeld || isDeciding(sessionId)) return
      isHeld = false
      // If it fails, the claim ends by itself.
      call("kyc-reviews.release", { path, keepalive: true }).catch(() => undefined)
    }
    const renew = () => void claim()
    renew()
    const timer = setInterval(renew, renewAfter)
    document.addEventListener("visibilitychange", renew)
    addEventListener("pageshow", renew)
    addEventListener("pagehide", release)
    return () => {
      isOver = true
      clearInterval(timer)
      document.removeEventListener("visibilitychange", renew)
      removeEventListener("pageshow", renew)
      removeEventListener("pagehide", release)
      release()
    }
  }, [sessionId, wanted])
  return claiming
}
