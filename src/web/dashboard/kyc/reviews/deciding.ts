/**
 * Decisions that were made in this tab. Each is sent after ten seconds, until when it can be undone, or at once when the tab is
 * hidden or closed. Until it is sent, the review waits as before, so that nothing is lost if the browser crashes.
 */
import { createStore, useStore } from "../../../ui/store.ts"
import { call, failureOf } from "../../common/call.ts"
import type { Decision } from "./review-state.tsx"

/** How long a decision can be undone, in milliseconds. */
const undoFor = 10_000

export interface DecisionMade {
  readonly sessionId: string
  /** The reference of the session, to say what was decided. */
  readonly name: string
  readonly decision: Decision
  readonly reasons: ReadonlyArray<string>
  /** The ids of the steps to ask for again. */
  readonly steps: ReadonlyArray<string>
  readonly note: string
  /** Whether another person has to confirm it. */
  readonly proposes: boolean
}

interface Entry extends DecisionMade {
  readonly state: "waiting" | "sending" | "sent" | "failed"
  /** Why it failed. */
  readonly message?: string
  /** Of a resubmission: where to send the end user. */
  readonly verificationUrl?: string | undefined
}

const store = createStore<{ readonly entries: ReadonlyArray<Entry> }>({ entries: [] })
const timers = new Map<string, ReturnType<typeof setTimeout>>()

const change = (sessionId: string, to: Partial<Entry> | undefined): void =>
  store.set({
    entries: store.get().entries.flatMap((entry) => {
      if (entry.sessionId !== sessionId) return [entry]
      return to === undefined ? [] : [{ ...entry, ...to }]
    })
  })

const send = async ({ decision, note, reasons, sessionId, steps }: DecisionMade): Promise<void> => {
  clearTimeout(timers.get(sessionId))
  change(sessionId, { state: "sending" })
  try {
    const { verificationUrl } = await call("kyc-reviews.decide", {
      path: { id: sessionId },
      body: {
        decision,
        reasons,
        ...(note.trim() === "" ? {} : { note }),
        ...(decision === "resubmission" ? { steps } : {})
      },
      keepalive: true
    })
    change(sessionId, verificationUrl === undefined ? undefined : { state: "sent", verificationUrl })
  } catch (cause) {
    change(sessionId, { state: "failed", message: failureOf(cause).message })
  }
}

const waiting = () => store.get().entries.filter(({ state }) => state === "waiting")

/** Sends what could still be undone. */
export const sendDecisions = async (): Promise<void> => {
  await Promise.all(waiting().map(send))
}

addEventListener("pagehide", () => void sendDecisions())
// A phone may end a hidden tab without a further event.
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") void sendDecisions()
})

export const decide = (made: DecisionMade): void => {
  const others = store.get().entries.filter(({ sessionId }) => sessionId !== made.sessionId)
  store.set({ entries: [...others, { ...made, state: "waiting" }] })
  timers.set(
    made.sessionId,
    setTimeout(() => void send(made), undoFor)
  )
}

/** Nobody else may send them, or see them: the user has signed out, or somebody else has signed in. */
export const forgetDecisions = (): void => {
  for (const timer of timers.values()) clearTimeout(timer)
  timers.clear()
  undone.clear()
  store.set({ entries: [] })
}

/** Keeps the decisions from being sent as somebody else, who has signed in by another tab. */
export const holdDecisions = (): void => {
  for (const { sessionId } of waiting()) {
    clearTimeout(timers.get(sessionId))
    change(sessionId, { state: "failed", message: "You were signed out." })
  }
}

/** Stops showing a decision. */
export const dismiss = (sessionId: string): void => {
  clearTimeout(timers.get(sessionId))
  change(sessionId, undefined)
}

/** The decisions that were taken back, to go on with them on the page of the review. */
const undone = new Map<string, DecisionMade>()

/** Takes back a decision that was not sent, or that failed. */
export const undo = (made: DecisionMade): void => {
  dismiss(made.sessionId)
  undone.set(made.sessionId, made)
}

export const takeUndone = (sessionId: string): DecisionMade | undefined => {
  const made = undone.get(sessionId)
  undone.delete(sessionId)
  return made
}

export const sendAgain = (entry: DecisionMade): void => void send(entry)

export const useDecisions = (): ReadonlyArray<Entry> => useStore(store).entries

/** Whether a decision was made here and may not be known to the server. */
export const isDeciding = (sessionId: string): boolean =>
  store.get().entries.some((entry) => entry.sessionId === sessionId && entry.state !== "failed")
