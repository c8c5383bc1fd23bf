/** The decision on a session: one key each. */
import { useState } from "preact/hooks"
import { Button } from "../../../ui/parts.tsx"
import { Dialog } from "../../common/dialog.tsx"
import { CheckField } from "../../common/fields.tsx"
import { turnShortcuts, useShortcuts, useShortcutsAreOn } from "../../common/shortcuts.ts"
import { type DecisionMade, takeUndone } from "./deciding.ts"
import { type Chosen, DecisionPanel, nothingChosen } from "./decision-panel.tsx"
import { Reasons } from "./history.tsx"
import { Keyed } from "./keyed.tsx"
import { type Decision, decisions, type Options, type Review } from "./review-state.tsx"

const keys = [
  ["A", "Approve"],
  ["D", "Decline; then 1 to 9 for reasons, and Enter"],
  ["R", "Ask again; then letters for steps, and Enter"],
  ["1 to 9", "Decline for this reason"],
  ["C", "Confirm what a colleague proposed"],
  ["S", "Skip: go to the next review without a decision"],
  ["U", "Undo the last decision"],
  ["+ and −", "Enlarge and reduce the photo"],
  ["0", "Fit the photo"],
  ["T", "Turn the photo"],
  ["P", "Next photo of the document, or of the selfie"],
  ["O", "Switch between document and selfie"],
  ["?", "This list"]
] as const

const KeyList = ({ onClose }: { readonly onClose: () => void }) => {
  const areOn = useShortcutsAreOn()
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl class="key-list">
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <CheckField
        label="Use shortcuts"
        hint="Turn them off if you use speech input. The choice is kept in this browser."
        checked={areOn}
        onChange={turnShortcuts}
      />
      <div class="row dialog-actions">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  )
}

type Mode = "declined" | "resubmission" | undefined

interface BarProps {
  readonly review: Review
  readonly options: Options
  readonly titles: ReadonlyMap<string, string>
  readonly name: string
  /** Whether the session is being decided on, so that the buttons wait. */
  readonly busy: boolean
  readonly onDecide: (made: DecisionMade) => void
  readonly onSkip: () => void
}

export const DecisionBar = ({ busy, name, onDecide, onSkip, options, review, titles }: BarProps) => {
  const sessionId = review.session_id
  const [undone] = useState(() => takeUndone(sessionId))
  const [mode, setMode] = useState<Mode>(
    undone === undefined || undone.decision === "approved" ? undefined : undone.decision
  )
  const [chosen, setChosen] = useState<Chosen>(undone ?? nothingChosen)
  const [listsKeys, setListsKeys] = useState(false)
  const { proposal } = review
  const proposes = options.four_eyes && proposal === null

  const made = (decision: Decision, given: Chosen): DecisionMade => ({
    sessionId,
    name,
    decision,
    proposes,
    ...given
  })
  const decideAs = (decision: Decision, given: Chosen) => {
    if (!busy) onDecide(made(decision, given))
  }
  const confirm =
    proposal === null
      ? undefined
      : () => decideAs(proposal.decision, { reasons: proposal.reasons, steps: proposal.steps, note: "" })
  const codes = options.reasons.map(({ code }) => code)
  const declineFor = (code: string) => () => {
    setChosen({ ...chosen, reasons: codes.filter((one) => one === code || chosen.reasons.includes(one)) })
    setMode("declined")
  }
  useShortcuts({
    ...(mode === undefined
      ? {
          a: () => decideAs("approved", nothingChosen),
          d: () => setMode("declined"),
          r: () => setMode("resubmission"),
          c: confirm,
          s: onSkip,
          ...Object.fromEntries(codes.slice(0, 9).map((code, index) => [String(index + 1), declineFor(code)]))
        }
      : {}),
    "?": () => setListsKeys(true)
  })
  const label = (decision: Decision) =>
    proposes ? `Propose: ${decisions[decision].act.toLowerCase()}` : decisions[decision].act
  return (
    <div class="decision-bar">
      {mode === undefined ? null : (
        <DecisionPanel
          decision={mode}
          options={options}
          titles={titles}
          proposes={proposes}
          chosen={chosen}
          onChange={setChosen}
          onDecide={() => decideAs(mode, mode === "declined" ? { ...chosen, steps: [] } : chosen)}
          onClose={() => setMode(undefined)}
        />
      )}
      {proposal === null || mode !== undefined ? null : (
        <div class="proposal">
          <p>
            {proposal.proposed_by_email ?? "A colleague"} proposes:{" "}
            <strong>{decisions[proposal.decision].act.toLowerCase()}</strong>
            {proposal.steps.length === 0
              ? null
              : `, for ${proposal.steps.map((id) => titles.get(id) ?? id).join(", ")}`}
            . Your decision is final.
          </p>
          <Reasons codes={proposal.reasons} options={options} />
        </div>
      )}
      {mode === undefined ? (
        <div class="decisions">
          {confirm === undefined || proposal === null ? null : (
            <Keyed letter="C" look="primary" busy={busy} onClick={confirm}>
              Confirm: {decisions[proposal.decision].act.toLowerCase()}
            </Keyed>
          )}
          {proposal?.decision === "approved" ? null : (
            <Keyed letter="A" look="approve" busy={busy} onClick={() => decideAs("approved", nothingChosen)}>
              {label("approved")}
            </Keyed>
          )}
          <Keyed letter="D" look="decline" busy={busy} onClick={() => setMode("declined")}>
            {label("declined")}
          </Keyed>
          <Keyed letter="R" busy={busy} onClick={() => setMode("resubmission")}>
            {label("resubmission")}
          </Keyed>
          <span class="decisions-rest">
            <Keyed letter="S" look="quiet" onClick={onSkip}>
              Skip
            </Keyed>
            <span class="about-keys">
              <Keyed letter="?" look="quiet" onClick={() => setListsKeys(true)}>
                Keys
              </Keyed>
            </span>
          </span>
        </div>
      ) : null}
      {listsKeys ? <KeyList onClose={() => setListsKeys(false)} /> : null}
    </div>
  )
}
