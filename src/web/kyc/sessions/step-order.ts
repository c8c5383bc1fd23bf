/** Which steps of its workflow a session has, and where it continues. */
import type { Json } from "../../json.ts"
import { type Answers, skipped } from "../instances/rules.ts"
import type { Step } from "../instances/workflow.ts"
import { isAnswered, restore } from "./answers.ts"
import type { Session } from "./session.ts"

interface Route {
  readonly answers: Answers
  /** The steps of this session, as far as the answers determine them. */
  readonly steps: ReadonlyArray<Step>
}

interface Progress extends Route {
  /** Unsaved input, by step. */
  readonly drafts: Answers
  /** Whether the end user has reached the review before. */
  readonly reviewed: boolean
}

/** @param numberOf the document number of a step, if only the tab stores it */
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

  /** Where to continue: at the last visited step, unless an earlier one is incomplete. */
  const begin = (): Route & { readonly current: Step } => {
    const answers = restore(workflow.steps, progress)
    const steps = stepsFor(answers)
    const open = steps.findIndex((step) => !answered(answers)(step))
    const last = steps.findIndex(({ id }) => id === progress.current)
    const index = last === -1 || (open !== -1 && open < last) ? open : last
    // A workflow always has a step: an empty one becomes the default workflow.
    const current = steps[index] ??
      steps[steps.length - 1] ?? {
        id: "",
        type: "unknown",
        title: undefined,
        text: undefined,
        optional: false
      }
    return { answers, current, steps }
  }

  /**
   * The step after this one. If the end user has already reached the review and nothing in between is incomplete, it is
   * the review.
   */
  const after = (step: Step, { answers, drafts, reviewed, steps }: Progress): Step | undefined => {
    const index = steps.findIndex(({ id }) => id === step.id)
    const later = steps.slice(index + 1)
    const open = later.find(
      (other) => other.type === "review" || drafts[other.id] !== undefined || !answered(answers)(other)
    )
    return reviewed && open?.type === "review" ? open : later[0]
  }

  return { after, begin, stepsFor }
}
