/** The state of a flow: the current screen, the answers so far, and what the server has stored. */
import type { Ending } from "../api.ts"
import type { Answers } from "../instances/rules.ts"
import type { Step } from "../instances/workflow.ts"
import type { Failure } from "../request.ts"

/** Why a submission failed: a failed request, or a failed security check. */
export type StepFailure = Failure | { readonly kind: "captcha" }

export interface FlowState {
  readonly current: Step
  /** The steps of this session, as far as the answers determine them. */
  readonly steps: ReadonlyArray<Step>
  readonly answers: Answers
  /** Unsaved input, by step. */
  readonly drafts: Answers
  /** The number of uploads in progress. */
  readonly uploads: number
  readonly saving: boolean
  /** Whether the session is moving to another device, or has moved. */
  readonly handoff: "none" | "under way" | "away"
  readonly failure: StepFailure | undefined
  /** The session is over, or cannot continue on this page. */
  readonly over: { readonly ending: Ending } | { readonly error: "unknown" | "expired" } | undefined
}
