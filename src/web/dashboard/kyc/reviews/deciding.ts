/**
 * Decisions that were made in this tab. Each is sent after ten seconds, until when it can be undone, or at once when the tab is
 * hidden or closed. Until it is sent, the review waits as before, so that nothing is lost if the browser crashes.
 */
import { after, dashboardTimes, type Timer } from "../../../timing.ts"
import { createStore, useStore } from "../../../ui/store.ts"
import { ApiFailure, doorlock, failureOf } from "../../common/call.ts"
import { sentence } from "../../common/words.ts"
import { actOf, type Decision, doneOf } from "./review-state.tsx"

export interface DecisionMade {
  readonly sessionId: string
  /** Who decides. */
  readonly userId: string
  /** The reference of the session, to say what was decided. */
  readonly name: string
  /** The query of the page of the review, which has the queue's filter. */
  readonly search: string
  readonly decision: Decision
  readonly reasons: ReadonlyArray<string>
  /** The ids of the steps to ask for again. */
  readonly steps: ReadonlyArray<string>
  readonly note: string
  /** What was typed as a new note, but not added; it is sent with the decision. */
  readonly draft: string
  /** Whether another person has to confirm it. */
  readonly proposes: boolean
}

interface Waiting extends DecisionMade {
  /** Of the attempt to decide: the same session may be decided on again after an undo. */
  readonly id: number
  readonly state: "waiting" | "sending"
}

interface Sent extends Omit<Waiting, "state"> {
  readonly state: "sent"
  /** Where to send the end user; undefined if the response with it was lost. */
  readonly verificationUrl: string | undefined
  readonly isCopied: boolean
}

interface Failed extends Omit<Waiting, "state"> {
  readonly state: "failed"
  readonly failure: ApiFailure
}

export type Entry = Waiting | Sent | Failed

interface Decisions {
  readonly entries: ReadonlyArray<Entry>
  /** What happened last, for screen readers. */
  readonly said: string
}

const store = createStore<Decisions>({ entries: [], said: "" })
const timers = new Map<number, Timer>()
const underWay = new Map<number, Promise<void>>()
let lastId = 0

const replace = (id: number, by: ReadonlyArray<Entry>, said = store.get().said): void => {
  const { entries } = store.get()
  // It may have been forgotten while it was sent.
  if (!entries.some((entry) => entry.id === id)) return
  store.set({ entries: entries.flatMap((entry) => (entry.id === id ? by : [entry])), said })
}

/** Why a decision failed, in words. */
export const failureWords = (failed: Failed): string =>
  `“${actOf(failed.decision, failed.proposes)}” was not saved. ${sentence(failed.failure.message)}`

/** Whether an attempt that seems refused had arrived, and only its response was lost. */
const hasArrived = async ({ decision, proposes, sessionId, userId }: DecisionMade): Promise<boolean> => {
  try {
    const { review } = await doorlock.reviews.get(sessionId)
    return proposes
      ? review?.proposal?.proposed_by === userId && review.proposal.decision === decision
      : review?.decided_by === userId && review.decision === decision
  } catch {
    return false
  }
}

const attempt = async (entry: Waiting): Promise<void> => {
  const { decision, draft, id, name, note, proposes, reasons, sessionId, steps } = entry
  const notes = [note, draft].map((text) => text.trim()).filter((text) => text !== "")
  const settle = (verificationUrl: string | undefined) => {
    // Only the link of a resubmission is left to be passed on.
    if (decision !== "resubmission" || proposes) replace(id, [])
    else {
      const said = `${name}: the link for the end user is ready.`
      replace(id, [{ ...entry, state: "sent", verificationUrl, isCopied: false }], said)
    }
  }
  try {
    const { verificationUrl } = await doorlock.reviews.decide(
      sessionId,
      {
        decision,
        reasons,
        ...(notes.length === 0 ? {} : { note: notes.join("\n\n") }),
        ...(decision === "resubmission" ? { steps } : {})
      },
      { keepalive: true }
    )
    settle(verificationUrl)
  } catch (cause) {
    const failure = failureOf(cause)
    if ((failure.status === 403 || failure.status === 409) && (await hasArrived(entry))) {
      settle(undefined)
      return
    }
    const failed: Failed = { ...entry, state: "failed", failure }
    replace(id, [failed], `${name}: ${failureWords(failed)}`)
  }
}

const send = (made: Entry): void => {
  const { id } = made
  timers.get(id)?.cancel()
  timers.delete(id)
  const entry: Waiting = { ...made, state: "sending" }
  replace(id, [entry])
  underWay.set(
    id,
    attempt(entry).finally(() => underWay.delete(id))
  )
}

const waiting = () => store.get().entries.filter(({ state }) => state === "waiting")

const sendWaiting = (): void => {
  for (const entry of waiting()) send(entry)
}

/** Sends what could still be undone, and waits for everything that is being sent, but not for ever. */
export const sendDecisions = async (): Promise<void> => {
  sendWaiting()
  const tooLong = Promise.withResolvers<void>()
  const timer = after(dashboardTimes.sendDecisions, tooLong.resolve)
  await Promise.race([Promise.all(underWay.values()), tooLong.promise])
  timer.cancel()
}

/** What is lost when the page is left: decisions that failed or are still being sent, and links that nobody has copied. */
export const unsettled = (): ReadonlyArray<Entry> =>
  store
    .get()
    .entries.filter(
      (entry) => entry.state !== "sent" || (entry.verificationUrl !== undefined && !entry.isCopied)
    )

addEventListener("pagehide", sendWaiting)
// A phone may end a hidden tab without a further event.
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") sendWaiting()
})
addEventListener("beforeunload", (event) => {
  // Requests that are under way outlive the page.
  if (unsettled().some(({ state }) => state === "failed" || state === "sent")) event.preventDefault()
})

export const decide = (made: DecisionMade): void => {
  lastId += 1
  undone.delete(made.sessionId)
  const entry: Waiting = { ...made, id: lastId, state: "waiting" }
  // Links that were copied have been shown for long enough.
  const others = store
    .get()
    .entries.filter(
      (other) => other.sessionId !== made.sessionId && !(other.state === "sent" && other.isCopied)
    )
  const said = `${made.name}: ${doneOf(made.decision, made.proposes)}.`
  store.set({ entries: [...others, entry], said })
  timers.set(
    entry.id,
    after(dashboardTimes.undoDecision, () => send(entry))
  )
}

/** Nobody else may send them, or see them: the user has signed out, or somebody else has signed in. */
export const forgetDecisions = (): void => {
  for (const timer of timers.values()) timer.cancel()
  timers.clear()
  undone.clear()
  store.set({ entries: [], said: "" })
}

/** Keeps the decisions from being sent as somebody else, who has signed in by another tab. */
export const holdDecisions = (): void => {
  for (const entry of waiting()) {
    timers.get(entry.id)?.cancel()
    replace(entry.id, [{ ...entry, state: "failed", failure: new ApiFailure(401, "You were signed out.") }])
  }
}

/** Stops showing a decision. */
export const dismiss = ({ id }: Entry): void => {
  timers.get(id)?.cancel()
  timers.delete(id)
  replace(id, [])
}

/** The user has the link of a resubmission. */
export const noteCopied = (entry: Sent): void => replace(entry.id, [{ ...entry, isCopied: true }])

/** The decisions that were taken back, to go on with them on the page of the review. */
const undone = new Map<string, DecisionMade>()

/** Takes back a decision that was not sent, or that failed. */
export const undo = (entry: Entry): void => {
  undone.set(entry.sessionId, entry)
  dismiss(entry)
}

/** The decision that was taken back, until there is another one on the same session, or the user has left its page. */
export const undoneOf = (sessionId: string): DecisionMade | undefined => undone.get(sessionId)

export const forgetUndone = (sessionId: string): void => void undone.delete(sessionId)

export const sendAgain = (entry: Failed): void => send(entry)

export const useDecisions = (): Decisions => useStore(store)

/** Whether a decision was made here and may not be known to the server. */
export const isDeciding = (sessionId: string): boolean =>
  store.get().entries.some((entry) => entry.sessionId === sessionId && entry.state !== "failed")
