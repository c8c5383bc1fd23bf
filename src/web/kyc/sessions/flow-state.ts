import type { Ending } from "../api.ts"
import type { Answers } from "../instances/rules.ts"
import type { Step } from "../instances/workflow.ts"
import type { Failure } from "../request.ts"

/** A failed request, or a failed security check. */
export type StepFailure = Failure | { readonly kind: "captcha" }

export interface FlowState {
  readonly current: Step
  /** The steps of this session, as far as the answers determine them. */
  readonly steps: ReadonlyArray<Step>
  readonly answers: Answers
  /** Unsaved input, by step. */
  readonly drafts: Answers
  /** The number in progress. */
  readonly uploads: number
  readonly saving: boolean
  readonly handoff: "none" | "under way" | "away"
  readonly failure: StepFailure | undefined
  /** Ended, or unable to continue on this page. */
  readonly over:
    | {
        readonly ending: Ending
        /** Whether it was not this page that ended it. */
        readonly elsewhere: boolean
      }
    | { readonly error: "unknown" | "expired" }
    | undefined
}
