/** A handoff on the first device: creates it, then polls it until it ends. */
import { useEffect, useRef, useState } from "preact/hooks"
import { after, kycTimes, type Timer } from "../../timing.ts"
import type { Followed, Made } from "../api.ts"
import type { Failure } from "../request.ts"
import type { Flow } from "../sessions/create-flow.ts"

export type Following =
  | { readonly kind: "making" }
  | { readonly kind: "failed"; readonly failure: Failure }
  | { readonly kind: "shown"; readonly made: Made; readonly followed: Followed }

const waiting: Followed = { status: "waiting", device: "unknown", code: "" }

/** Polls until `look` returns true, and at once when the page becomes visible. Returns how to stop. */
const repeatedly = (look: () => Promise<boolean>): (() => void) => {
  let timer: Timer | undefined
  let ended = false
  const later = () => {
    timer = after(document.hidden ? kycTimes.hiddenHandoff : kycTimes.handoff, () => void again())
  }
  const again = async () => {
    timer?.cancel()
    timer = undefined
    const over = await look()
    if (!ended && !over) later()
  }
  const onSight = () => {
    // Without a timer, a request is already running.
    if (!document.hidden && timer !== undefined) void again()
  }
  document.addEventListener("visibilitychange", onSight)
  later()
  return () => {
    ended = true
    timer?.cancel()
    document.removeEventListener("visibilitychange", onSight)
  }
}

export const useHandoff = (flow: Flow) => {
  const [state, setState] = useState<Following>({ kind: "making" })
  const [attempt, setAttempt] = useState(0)
  const present = useRef<string | undefined>(undefined)

  useEffect(() => {
    let unmounted = false
    let stop = () => {}
    const make = async () => {
      const created = await flow.api.handOff(flow.carry())
      if (unmounted) return
      if (!created.ok) {
        if (!flow.takeFailure(created.failure)) setState({ kind: "failed", failure: created.failure })
        return
      }
      const made = created.value
      present.current = made.id
      setState({ kind: "shown", made, followed: waiting })
      stop = repeatedly(async () => {
        const found = await flow.api.handoff(made.id)
        if (present.current !== made.id) return true
        // Without a connection, polling continues: the code stays valid.
        if (!found.ok) return flow.takeFailure(found.failure)
        const { status } = found.value
        if (status === "confirmed") flow.goAway()
        setState({ kind: "shown", made, followed: found.value })
        return status !== "waiting" && status !== "claimed"
      })
    }
    setState({ kind: "making" })
    void make()
    return () => {
      unmounted = true
      stop()
    }
  }, [attempt, flow])

  return {
    state,
    renew: () => setAttempt(attempt + 1),
    /** False if the other device was faster and has the session. */
    cancel: async (): Promise<boolean> => {
      const id = present.current
      present.current = undefined
      if (id === undefined) return true
      const cancelled = await flow.api.cancelHandoff(id)
      if (cancelled.ok || cancelled.failure.kind !== "finished") return true
      flow.goAway()
      return false
    }
  }
}

/** The step on the other device, counted from 1, once known. */
export const useProgress = (flow: Flow): number | undefined => {
  const [step, setStep] = useState<number>()
  useEffect(
    () =>
      repeatedly(async () => {
        const found = await flow.api.read()
        if (!found.ok) return flow.takeFailure(found.failure)
        const { finished, step } = flow.seen(found.value.session)
        if (finished) flow.takeFailure({ kind: "finished" })
        setStep(step)
        return finished
      }),
    [flow]
  )
  return step
}
