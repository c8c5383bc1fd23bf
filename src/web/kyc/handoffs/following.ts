/** What the first device of a hand-off knows of it: made, then looked at again and again until it is over. */
import { useEffect, useRef, useState } from "preact/hooks"
import type { Followed, Made } from "../api.ts"
import type { Failure } from "../request.ts"
import type { Flow } from "../sessions/flow.ts"

/** Milliseconds between two looks; nobody waits for a page that is not seen. */
const pace = { seen: 2000, hidden: 10_000 } as const

export type Following =
  | { readonly kind: "making" }
  | { readonly kind: "failed"; readonly failure: Failure }
  | { readonly kind: "shown"; readonly made: Made; readonly followed: Followed }

const waiting: Followed = { status: "waiting", device: "unknown", code: "" }

const isOver = ({ status }: Followed) => status !== "waiting" && status !== "claimed"

/**
 * Asks `look` at the page's pace until it answers true, and at once whenever the page is seen again.
 *
 * @returns ends it
 */
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
    // Without a timer a look is under way.
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

/** A hand-off of the flow's session, from its making on; `renew` makes another. */
export const useHandoff = (flow: Flow) => {
  const [state, setState] = useState<Following>({ kind: "making" })
  const [attempt, setAttempt] = useState(0)
  const present = useRef<string | undefined>(undefined)

  useEffect(() => {
    let gone = false
    const make = async () => {
      const made = await flow.api.handOff(flow.carry())
      if (gone) return
      if (made.ok) {
        present.current = made.value.id
        return setState({ kind: "shown", made: made.value, followed: waiting })
      }
      if (!flow.takeFailure(made.failure)) setState({ kind: "failed", failure: made.failure })
    }
    setState({ kind: "making" })
    void make()
    return () => {
      gone = true
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
      // Without a connection it is looked at again; the code on the screen is good all the same.
      return flow.takeFailure(found.failure)
    })
  }, [made, over, flow])

  return {
    state,
    renew: () => setAttempt(attempt + 1),
    /** Lets go of it, for good. Answers false where the other device was faster: then the session is there. */
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

/** How far the session has come on the other device: the number of the present step, counted from 1, once that is known. */
export const useProgress = (flow: Flow): number | undefined => {
  const [step, setStep] = useState<number>()
  useEffect(
    () =>
      repeatedly(async () => {
        const found = await flow.api.read()
        if (!found.ok) return flow.takeFailure(found.failure)
        const { finished, step } = flow.seen(found.value.body)
        if (finished) flow.takeFailure({ kind: "finished" })
        setStep(step)
        return finished
      }),
    [flow]
  )
  return step
}
