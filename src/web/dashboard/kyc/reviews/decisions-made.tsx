/** What was decided in this tab, on every page: a decision can be undone before it is sent. */
import { Button } from "../../../ui/parts.tsx"
import { Copy } from "../../common/copy.tsx"
import { navigate } from "../../common/router.tsx"
import { useShortcuts } from "../../common/shortcuts.ts"
import { type DecisionMade, dismiss, sendAgain, undo, useDecisions } from "./deciding.ts"
import { Keyed } from "./keyed.tsx"
import { decisions, reviewPath } from "./review-state.tsx"

/** The decisions to show at a time, so that they do not cover the page. */
const mostShown = 3

export const DecisionsMade = () => {
  const made = useDecisions().toReversed()
  const newest = made.find(({ state }) => state === "waiting")
  // Of those that can be undone, only the newest: once it is undone, the one before it is.
  const shown = made.filter((entry) => entry === newest || entry.state === "sent" || entry.state === "failed")
  const undoAndReturn = (entry: DecisionMade) => {
    undo(entry)
    void navigate(reviewPath(entry.sessionId), { replace: true })
  }
  useShortcuts({ u: newest && (() => undoAndReturn(newest)) })
  return (
    <div class="decisions-made" role="status">
      {shown.slice(0, mostShown).map((entry) => {
        const { message, name, proposes, sessionId, state, verificationUrl } = entry
        const { act, done } = decisions[entry.decision]
        const said = proposes ? `Proposed: ${act.toLowerCase()}` : done
        return (
          <div key={sessionId} class={state === "failed" ? "decision-made problem" : "decision-made"}>
            <p>
              <strong>{name}</strong> {state === "failed" ? `is not decided. ${message}` : said}
            </p>
            {state === "waiting" ? (
              <Keyed letter="U" onClick={() => undoAndReturn(entry)}>
                Undo <span class="visually-hidden">{name}</span>
              </Keyed>
            ) : null}
            {verificationUrl === undefined ? null : <Copy text={verificationUrl} what={`link for ${name}`} />}
            {state === "failed" ? (
              <>
                <Button onClick={() => sendAgain(entry)}>
                  Try again <span class="visually-hidden">{name}</span>
                </Button>
                <Button onClick={() => undoAndReturn(entry)}>
                  Open <span class="visually-hidden">{name}</span>
                </Button>
              </>
            ) : null}
            {state === "sent" || state === "failed" ? (
              <Button look="quiet" onClick={() => dismiss(sessionId)}>
                Close <span class="visually-hidden">{name}</span>
              </Button>
            ) : null}
          </div>
        )
      })}
    </div>
  )
}
