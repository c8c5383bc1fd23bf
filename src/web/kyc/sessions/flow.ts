/** A session's path through its workflow: the current screen, the answers so far, and what the server has stored. */
import type { Json } from "../../json.ts"
import type { Store } from "../../ui/store.ts"
import type { Ending, SessionApi, StoredFile } from "../api.ts"
import type { Answers } from "../instances/rules.ts"
import type { Step } from "../instances/workflow.ts"
import type { Failure, Outcome } from "../request.ts"
import type { Session } from "./session.ts"

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

export interface Flow {
  readonly session: Session
  readonly api: SessionApi
  readonly store: Store<FlowState>
  /** Submits a step and goes to the next one. With a failure code, it ends the session as failed. */
  readonly submit: (step: Step, answer: Json, failureCode?: string) => Promise<void>
  readonly goTo: (step: Step) => void
  /** Ends the session at the end user's request. */
  readonly leave: (code: "CONSENT_DECLINED" | "UNSUPPORTED_STEP" | "USER_CANCELLED") => Promise<void>
  /** Repeats the action that failed. */
  readonly retry: () => Promise<void>
  /** Handles the failure of a request that a step sent itself; true if the failure ends the step. */
  readonly takeFailure: (failure: Failure) => boolean
  /**
   * Changes the input of a step. `change` gets the current input, because a file may arrive long after it was sent. The
   * change also clears the last failed submission, which was about other input.
   */
  readonly edit: (step: Step, change: (before: Json) => Json) => void
  readonly upload: (file: Blob) => Promise<Outcome<StoredFile>>
  /** The image of a file uploaded since the page was opened. */
  readonly picture: (fileId: string) => Blob | undefined
  /** The document number of a step, if only the tab stores it. */
  readonly documentNumber: (stepId: string) => string | undefined
  readonly keepDocumentNumber: (stepId: string, value: string) => void
  readonly noteCamera: (state: string) => void
  /** Whether the session may move to another device. */
  readonly mayHandOff: boolean
  /** Whether the session came from another device. */
  readonly handedOver: boolean
  /** Does nothing during an upload: the file would arrive on this device and not on the other. */
  readonly handOff: () => Promise<void>
  /** The other device has the session, including unsaved input. */
  readonly goAway: () => void
  /** Continues on this device after all. */
  readonly stay: () => void
  /** What the other device needs in addition to the session: unsaved input and document numbers. */
  readonly carry: () => Json
  /** The session's state according to the server; `step` is the number of the current step, counted from 1. */
  readonly seen: (body: Json) => { readonly finished: boolean; readonly step: number | undefined }
}
