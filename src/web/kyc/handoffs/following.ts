/** A hand-off on the first device: creates it, then polls it until it ends. */
import { useEffect, useRef, useState } from "preact/hooks"
import type { Followed, Made } from "../api.ts"
import type { Failure } from "../request.ts"
import type { Flow } from "../sessions/create-flow.ts"

/** The polling interval in milliseconds. Nobody waits for a hidden page. */
const pace = { seen: 2000, hidden: 10_000 } as const

export type Following =
  | { readonly kind: "making" }
  | { readonly kind: "failed"; readonly failure: Failure }
  | { readonly kind: "shown"; readonly made: Made; readonly followed: Followed }

const waiting: Followed = { status: "waiting", device: "unknown", code: "" }

const isOver = ({ status }: Followed) => status !== "waiting" && status !== "claimed"

/** Polls until `look` returns true, and at once when the page becomes visible. Returns how to stop. */
const repeatedly = (look: () => Promise<boolean>): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let ended = false
  const later = () => {
    timer = setTimeout(() => void again(), document.hidden ? pace.hidden : pace.seen)
  }
  const again = async () => {
    clearTimeout(timer)
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
    clearTimeout(timer)
    document.removeEventListener("visibilitychange", onSight)
  }
}

export const useHandoff = (flow: Flow) => {
  const [state, setState] = useState<Following>({ kind: "making" })
  const [attempt, setAttempt] = useState(0)
  const present = useRef<string | undefined>(undefined)

  useEffect(() => {
    let unmounted = false
    const make = async () => {
      const made = await flow.api.handOff(flow.carry())
      if (unmounted) return
      if (made.ok) {
        present.current = made.value.id
        return setState({ kind: "shown", made: made.value, followed: waiting })
      }
      if (!flow.takeFailure(made.failure)) setState({ kind: "failed", failure: made.failure })
    }
    setState({ kind: "making" })
    void make()
    return () => {
      unmounted = true
    }
  }, [attempt, flow])

  const made = state.kind === "shown" ? state.made : undefined
  const over = state.kind === "shown" && isOver(state.followed)
  useEffect(() => {
    if (made === undefined || over) return
    return repeatedly(async () => {
      const found = await flow.api.handoff(made.id)
      if (present.current !== made.id) return true
      if (found.ok) {
        if (found.value.status === "confirmed") flow.goAway()
        setState({ kind: "shown", made, followed: found.value })
        return isOver(found.value)
      }
      // Without a connection, polling continues: the code stays valid.
      return flow.takeFailure(found.failure)
    })
  }, [made, over, flow])

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
