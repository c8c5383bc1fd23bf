/** The flow of a session through its workflow: what is shown, what has been answered, what the server has of it. */
import type { Json } from "../../json.ts"
import type { Store } from "../../ui/store.ts"
import type { Ending, SessionApi, StoredFile } from "../api.ts"
import type { Answers } from "../instances/rules.ts"
import type { Step } from "../instances/workflow.ts"
import type { Failure, Outcome } from "../request.ts"
import type { Session } from "./session.ts"

/** Why something was not handed in: the server's failure, or that the security check was not passed. */
export type StepFailure = Failure | { readonly kind: "captcha" }

export interface FlowState {
  readonly current: Step
  /** The steps that are gone through, as far as the answers tell. */
  readonly steps: ReadonlyArray<Step>
  readonly answers: Answers
  /** What was entered and is not saved, by its step. */
  readonly drafts: Answers
  /** Files under way. */
  readonly uploads: number
  readonly saving: boolean
  /** Whether the session is on its way to another device, or there. */
  readonly handoff: "none" | "under way" | "away"
  readonly failure: StepFailure | undefined
  /** The session is over, or cannot be gone on with here. */
  readonly over: { readonly ending: Ending } | { readonly error: "unknown" | "expired" } | undefined
}

export interface Flow {
  readonly session: Session
  readonly api: SessionApi
  readonly store: Store<FlowState>
  /** Hands in a step and goes on; with a code, the session fails with it. */
  readonly submit: (step: Step, answer: Json, failureCode?: string) => Promise<void>
  readonly goTo: (step: Step) => void
  /** Ends the session as its end user wishes. */
  readonly leave: (code: "CONSENT_DECLINED" | "UNSUPPORTED_STEP" | "USER_CANCELLED") => Promise<void>
  /** Does once more what did not succeed. */
  readonly retry: () => Promise<void>
  /** Takes a failure of something that a step did by itself; true when the step is over with it. */
  readonly takeFailure: (failure: Failure) => boolean
  /**
   * Changes what is entered in a step. Given what is there by then: a file may arrive long after it was sent. What the
   * server failed to take before is not what would be handed in now, so that failure is over.
   */
  readonly edit: (step: Step, change: (before: Json) => Json) => void
  readonly upload: (file: Blob) => Promise<Outcome<StoredFile>>
  /** The picture of a file that was sent since the page was opened. */
  readonly picture: (fileId: string) => Blob | undefined
  /** The document number of a step, where only the tab remembers it. */
  readonly documentNumber: (stepId: string) => string | undefined
  readonly keepDocumentNumber: (stepId: string, value: string) => void
  readonly noteCamera: (state: string) => void
  /** Whether the session may go over to another device. */
  readonly mayHandOff: boolean
  /** Whether it has come from one. */
  readonly handedOver: boolean
  /** Nothing happens while a file is under way: it would arrive here, and not there. */
  readonly handOff: () => Promise<void>
  /** The other device has the session, with what was typed and not saved. */
  readonly goAway: () => void
  /** Goes on here after all. */
  readonly stay: () => void
  /** What is gone on with elsewhere besides the session: what was typed and not saved, and document numbers. */
  readonly carry: () => Json
  /** How the session stands as the server tells it; `step` is the number of its present step, counted from 1. */
  readonly seen: (body: Json) => { readonly finished: boolean; readonly step: number | undefined }
}
