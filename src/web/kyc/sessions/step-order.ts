/** Which steps of its workflow a session has, and where it continues. */
import type { Json } from "../../json.ts"
import { type Answers, skipped } from "../instances/rules.ts"
import { readStep, type Step } from "../instances/workflow.ts"
import { isAnswered, restore } from "./answers.ts"
import type { FlowState } from "./flow-state.ts"
import type { Session } from "./session.ts"

/** `reviewed`: whether the reader has reached the review before. */
type Progress = Pick<FlowState, "answers" | "drafts" | "steps"> & { readonly reviewed: boolean }

/** `numberOf`: the document number that only the tab stores. */
export const stepOrder = (
  { progress, workflow }: Session,
  numberOf: (stepId: string, answer: Json | undefined) => string | undefined
) => {
  const stepsFor = (answers: Answers) => {
    const needless = skipped(workflow.rules, answers)
    return workflow.steps.filter(({ id }) => !needless.has(id))
  }
  const answered = (answers: Answers) => (step: Step) =>
    isAnswered(step, answers[step.id], numberOf(step.id, answers[step.id]))

  /** Where to continue: at the last visited step, unless an earlier one is incomplete or has unfinished input. */
  const begin = (drafts: Answers): Pick<FlowState, "answers" | "current" | "steps"> => {
    const answers = restore(workflow.steps, progress)
    const steps = stepsFor(answers)
    const open = steps.findIndex((step) => drafts[step.id] !== undefined || !answered(answers)(step))
    const last = steps.findIndex(({ id }) => id === progress.current)
    const index = last === -1 || (open !== -1 && open < last) ? open : last
    // Without any step, the page cannot continue.
    return { answers, current: steps[index] ?? steps.at(-1) ?? readStep({}, 0), steps }
  }

  /** The next step, or the review if the reader has reached it before and all steps up to it are complete. */
  const stepAfter = (step: Step, { answers, drafts, reviewed, steps }: Progress): Step | undefined => {
    const index = steps.findIndex(({ id }) => id === step.id)
    const later = steps.slice(index + 1)
    const open = later.find(
      (other) => other.type === "review" || drafts[other.id] !== undefined || !answered(answers)(other)
    )
    return reviewed && open?.type === "review" ? open : later[0]
  }

  return { stepAfter, begin, stepsFor }
}
