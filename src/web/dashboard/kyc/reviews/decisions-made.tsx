/** What was decided in this tab, on every page: a decision can be undone before it is sent. */
import { useEffect, useRef, useState } from "preact/hooks"
import { Button } from "../../../ui/parts.tsx"
import { Copy } from "../../common/copy.tsx"
import { Dialog } from "../../common/dialog.tsx"
import { Link, navigate } from "../../common/router.tsx"
import { useShortcuts } from "../../common/shortcuts.ts"
import { releaseFailed } from "./claiming.ts"
import {
  dismiss,
  type Entry,
  failureWords,
  noteCopied,
  sendAgain,
  undo,
  unsettled,
  useDecisions
} from "./deciding.ts"
import { Keyed } from "./keyed.tsx"
import { actOf, doneOf, reviewPath } from "./review-state.tsx"

/** How many failed decisions to show at a time, so that they do not cover the page. Links are shown on request only. */
const mostFailed = 3

const undoAndReturn = (entry: Entry) => {
  undo(entry)
  const path = reviewPath(entry.sessionId)
  // On the page of the review itself, nothing that was typed is lost.
  void navigate(`${path}${entry.search}`, { replace: true, agreed: location.pathname === path })
}

const close = (entry: Entry) => {
  dismiss(entry)
  if (entry.state === "failed") releaseFailed(entry.sessionId)
}

const Words = ({ entry }: { readonly entry: Entry }) => {
  const { decision, name, proposes, sessionId, state } = entry
  return (
    <p>
      <strong>{name}</strong>
      {state === "failed" ? `: ${failureWords(entry)}` : ` ${doneOf(decision, proposes)}`}
      {state === "sent" ? (
        <span class="under">
          {entry.verificationUrl === undefined
            ? "Make a link for the end user on"
            : "Send the link to the end user. You can make a new one on"}{" "}
          <Link to={reviewPath(sessionId)}>the page of the review</Link>.
        </span>
      ) : null}
    </p>
  )
}

const Shown = ({ entry }: { readonly entry: Entry }) => {
  const name = <span class="visually-hidden">{entry.name}</span>
  return (
    <li class={entry.state === "failed" ? "decision-made problem" : "decision-made"}>
      <Words entry={entry} />
      <span class="decision-acts">
        {entry.state === "waiting" ? (
          <Keyed letter="U" onClick={() => undoAndReturn(entry)}>
            Undo {name}
          </Keyed>
        ) : null}
        {entry.state === "sent" && entry.verificationUrl !== undefined ? (
          <Copy
            text={entry.verificationUrl}
            what={`link for ${entry.name}`}
            onCopied={() => noteCopied(entry)}
          />
        ) : null}
        {entry.state === "failed" ? (
          <>
            {/* Refused once, the same decision is refused again. */}
            {[400, 403, 404, 409].includes(entry.failure.status) ? null : (
              <Button onClick={() => sendAgain(entry)}>Try again {name}</Button>
            )}
            <Button onClick={() => undoAndReturn(entry)}>Open {name}</Button>
          </>
        ) : null}
        {entry.state === "sent" || entry.state === "failed" ? (
          <Button look="quiet" onClick={() => close(entry)}>
            Close {name}
          </Button>
        ) : null}
      </span>
    </li>
  )
}

export const DecisionsMade = () => {
  const { entries, said } = useDecisions()
  const [showsAll, setShowsAll] = useState(false)
  const made = entries.toReversed()
  const inState = (state: Entry["state"]) => made.filter((entry) => entry.state === state)
  // Of those that can be undone, only the newest: once it is undone, the one before it is.
  const newest = inState("waiting")[0]
  // What failed comes first, until the user has seen to it.
  const failed = inState("failed")
  const sent = inState("sent")
  const kept = [...failed, ...sent]
  const first = failed.slice(0, mostFailed)
  const shown = showsAll ? kept : first
  const hasMore = kept.length > first.length
  const more =
    failed.length > first.length
      ? { show: `Show ${kept.length - first.length} more`, hide: "Show fewer" }
      : { show: `Links to send (${sent.length})`, hide: "Hide links" }
  const newestId = newest?.id
  // Whoever has gone on to the next review has done with the list.
  useEffect(() => {
    if (newestId !== undefined || !hasMore) setShowsAll(false)
  }, [newestId, hasMore])
  const section = useRef<HTMLElement>(null)
  const toggle = () => setShowsAll(!showsAll)
  useShortcuts({
    u: newest && (() => undoAndReturn(newest)),
    l: hasMore
      ? () => {
          toggle()
          // The buttons of the links follow it.
          section.current?.querySelector<HTMLElement>("[aria-expanded]")?.focus()
        }
      : undefined
  })
  return (
    <>
      <p class="visually-hidden" role="status" aria-atomic="true">
        {said}
      </p>
      {newest === undefined && kept.length === 0 ? null : (
        <section
          class={showsAll ? "decisions-made all" : "decisions-made"}
          aria-label="Your last decisions"
          ref={section}
        >
          {hasMore ? (
            <Keyed letter="L" pressed={showsAll} onClick={toggle}>
              {showsAll ? more.hide : more.show}
            </Keyed>
          ) : null}
          {newest === undefined && shown.length === 0 ? null : (
            <ul>
              {newest === undefined ? null : <Shown key={newest.id} entry={newest} />}
              {shown.map((entry) => (
                <Shown key={entry.id} entry={entry} />
              ))}
            </ul>
          )}
        </section>
      )}
    </>
  )
}

const lostWords = (entry: Entry): string => {
  if (entry.state === "failed") return failureWords(entry)
  return entry.state === "sent"
    ? "You have not copied the link for the end user."
    : `“${actOf(entry.decision, entry.proposes)}” is still being sent.`
}

interface Asking {
  readonly entries: ReadonlyArray<Entry>
  readonly answer: (signOut: boolean) => void
}

/**
 * Asks before decisions are lost that failed or are still being sent, and links that were not copied. `ask` resolves to whether the user
 * agrees; render `question`.
 */
export const useLosing = () => {
  const [asking, setAsking] = useState<Asking>()
  const ask = async (): Promise<boolean> => {
    const entries = unsettled()
    return entries.length === 0 || (await new Promise<boolean>((answer) => setAsking({ entries, answer })))
  }
  const answer = (signOut: boolean) => {
    setAsking(undefined)
    asking?.answer(signOut)
  }
  const question =
    asking === undefined ? null : (
      <Dialog title="Sign out anyway?" onClose={() => answer(false)}>
        <p>If you sign out now, you lose this:</p>
        <ul class="losing">
          {asking.entries.map((entry) => (
            <li key={entry.id}>
              <strong>{entry.name}</strong>: {lostWords(entry)}
            </li>
          ))}
        </ul>
        <div class="row dialog-actions">
          <Button onClick={() => answer(false)}>Stay</Button>
          <Button look="danger" onClick={() => answer(true)}>
            Sign out
          </Button>
        </div>
      </Dialog>
    )
  return { ask, question }
}
