/** An entry of the browser's history for each step, so that the browser's Back goes one step back. */
import { useLayoutEffect, useRef } from "preact/hooks"
import { object, texts } from "../../json.ts"
import { useEmbedder } from "../embedding/embedder.ts"
import type { Flow } from "./create-flow.ts"

/** Of an entry: the ids of the steps up to its own, as they were visited. */
const key = "kyc:trail"

const trailNow = (): ReadonlyArray<string> => texts(object(history.state)[key])

const stateWith = (trail: ReadonlyArray<string>) => ({ ...object(history.state), [key]: trail })

/** `shown`: whether the flow shows its current step, and not its end or another device. */
export const useStepHistory = (flow: Flow, currentId: string, shown: boolean): void => {
  const { keepsHistory } = useEmbedder()
  const begun = useRef<Flow>(undefined)
  /** Whether the page itself went back, and the browser has not done so yet. */
  const goesBack = useRef(false)

  // Before the step is painted: nobody can go back from a step that has no entry yet.
  useLayoutEffect(() => {
    if (!keepsHistory || !shown) return
    const trail = trailNow()
    if (trail.at(-1) === currentId) {
      begun.current = flow
    } else if (begun.current !== flow) {
      // The session continues elsewhere than where this entry was left.
      begun.current = flow
      history.replaceState(stateWith([currentId]), "")
    } else if (trail.at(-2) === currentId) {
      goesBack.current = true
      history.back()
    } else {
      history.pushState(stateWith([...trail, currentId]), "")
    }
  }, [flow, currentId, shown, keepsHistory])

  useLayoutEffect(() => {
    if (!keepsHistory) return
    const go = () => {
      const { current, handoff, over, saving, steps } = flow.store.get()
      const wanted = trailNow().at(-1)
      const byPage = goesBack.current
      goesBack.current = false
      if (over !== undefined || wanted === undefined || wanted === current.id) return
      const step = steps.find(({ id }) => id === wanted)
      // The page stays where it is if it has gone on meanwhile, while something is saved, and for a step that the answers have made needless.
      if (byPage || step === undefined || saving || handoff !== "none") {
        history.pushState(stateWith([...trailNow(), current.id]), "")
      } else flow.goTo(step)
    }
    addEventListener("popstate", go)
    return () => removeEventListener("popstate", go)
  }, [flow, keepsHistory])
}
