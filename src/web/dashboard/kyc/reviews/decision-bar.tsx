/** The decision on a session: one key each. */
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { Button } from "../../../ui/parts.tsx"
import { Confirm, Dialog } from "../../common/dialog.tsx"
import { CheckField } from "../../common/fields.tsx"
import { turnShortcuts, useShortcuts, useShortcutsAreOn } from "../../common/shortcuts.ts"
import { undoneOf } from "./deciding.ts"
import { type Chosen, DecisionPanel, nothingChosen } from "./decision-panel.tsx"
import { Reasons } from "./history.tsx"
import { Keyed } from "./keyed.tsx"
import { actOf, type Decision, decisions, isProposed, type Options, type Review } from "./review-state.tsx"

const keys = [
  ["A", "Approve"],
  ["D", "Decline; then 1 to 9 for reasons, N for a note, and Enter"],
  ["R", "Ask again; then letters for steps, N for a note, and Enter"],
  ["Ctrl + Enter", "Decide while you write the note"],
  ["Esc", "Back, without a decision"],
  ["1 to 9", "Decline for this reason"],
  ["C", "Confirm what a colleague proposed"],
  ["S", "Skip: go to the next review without a decision"],
  ["U", "Undo the last decision"],
  ["L", "Links to send to end users, after you asked again"],
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

/** Where the focus goes back to when the panel is closed. */
const useReturningFocus = (mode: Mode) => {
  const bar = useRef<HTMLDivElement>(null)
  const opener = useRef<Element>(null)
  const opened = useRef<Mode>(undefined)
  useLayoutEffect(() => {
    if (mode === undefined && opened.current !== undefined) {
      const { current: before } = opener
      // The buttons of the bar were gone meanwhile; a key may have been pressed with the focus nowhere.
      const button = bar.current?.querySelector<HTMLElement>(`[data-decision="${opened.current}"]`)
      const target =
        before instanceof HTMLElement && before.isConnected && before !== document.body ? before : button
      target?.focus()
    }
    opened.current = mode
  }, [mode])
  const noteOpener = () => {
    opener.current = document.activeElement
  }
  return { bar, noteOpener }
}

interface BarProps {
  readonly review: Review
  readonly options: Options
  readonly titles: ReadonlyMap<string, string>
  /** What the photos show that could not be loaded. */
  readonly missing: ReadonlyArray<string>
  /** Whether the next review is being looked for, so that the buttons wait. */
  readonly busy: boolean
  /** Why the claim could not be renewed, if so. */
  readonly trouble: string | undefined
  readonly onDecide: (decision: Decision, proposes: boolean, chosen: Chosen) => void
  readonly onSkip: () => void
}

export const DecisionBar = (props: BarProps) => {
  const { busy, missing, onDecide, onSkip, options, review, titles, trouble } = props
  const [undone] = useState(() => undoneOf(review.session_id))
  const [mode, setMode] = useState<Mode>(
    undone === undefined || undone.decision === "approved" ? undefined : undone.decision
  )
  const [chosen, setChosen] = useState<Chosen>(() => {
    if (undone === undefined) return nothingChosen
    const { note, reasons, steps } = undone
    return { note, reasons, steps }
  })
  const [listsKeys, setListsKeys] = useState(false)
  const { proposal } = review
  const proposes = (decision: Decision, steps: ReadonlyArray<string> = []): boolean =>
    options.four_eyes && !isProposed(review, decision, steps)

  const { bar, noteOpener } = useReturningFocus(mode)
  const open = (wanted: Mode) => {
    noteOpener()
    setMode(wanted)
  }
  const decideAs = (decision: Decision, given: Chosen) => {
    if (!busy) onDecide(decision, proposes(decision, given.steps), given)
  }
  /** An approval without every photo, which waits for an answer. */
  const [doubtful, setDoubtful] = useState<Chosen>()
  const decideOrAsk = (decision: Decision, given: Chosen) => {
    if (decision === "approved" && missing.length > 0) setDoubtful(given)
    else decideAs(decision, given)
  }
  const confirm =
    proposal === null
      ? undefined
      : () => decideOrAsk(proposal.decision, { reasons: proposal.reasons, steps: proposal.steps, note: "" })
  const codes = options.reasons.map(({ code }) => code)
  const declineFor = (code: string) => () => {
    setChosen({ ...chosen, reasons: codes.filter((one) => one === code || chosen.reasons.includes(one)) })
    open("declined")
  }
  useShortcuts({
    ...(mode === undefined
      ? {
          a: () => decideOrAsk("approved", nothingChosen),
          d: () => open("declined"),
          r: () => open("resubmission"),
          c: confirm,
          s: onSkip,
          ...Object.fromEntries(codes.slice(0, 9).map((code, index) => [String(index + 1), declineFor(code)]))
        }
      : {}),
    "?": () => setListsKeys(true)
  })
  const label = (decision: Decision) => actOf(decision, proposes(decision))
  return (
    <div class="decision-bar" ref={bar}>
      <p class="bar-trouble" role="status">
        {trouble === undefined
          ? null
          : `Your claim could not be renewed. ${trouble} The page tries again automatically.`}
      </p>
      {mode === undefined ? null : (
        <DecisionPanel
          decision={mode}
          options={options}
          titles={titles}
          proposes={proposes(mode, mode === "declined" ? [] : chosen.steps)}
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
            . If you decide otherwise, that is the proposal.
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
            <Keyed
              letter="A"
              look="approve"
              busy={busy}
              onClick={() => decideOrAsk("approved", nothingChosen)}
            >
              {label("approved")}
            </Keyed>
          )}
          <Keyed letter="D" look="decline" busy={busy} decision="declined" onClick={() => open("declined")}>
            {proposal?.decision === "declined" ? "Decline for other reasons" : label("declined")}
          </Keyed>
          <Keyed letter="R" busy={busy} decision="resubmission" onClick={() => open("resubmission")}>
            {proposal?.decision === "resubmission" ? "Propose other steps" : label("resubmission")}
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
      {doubtful === undefined ? null : (
        <Confirm
          title="Approve without seeing every photo?"
          act={label("approved")}
          onConfirm={async () => decideAs("approved", doubtful)}
          onClose={() => setDoubtful(undefined)}
        >
          <p>Could not be loaded: {missing.join(", ")}</p>
        </Confirm>
      )}
      {listsKeys ? <KeyList onClose={() => setListsKeys(false)} /> : null}
    </div>
  )
}
