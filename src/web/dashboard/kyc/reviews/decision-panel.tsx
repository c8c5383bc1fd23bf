/** What goes with a decision: reasons, the steps to ask for again, and a note. */
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { Button } from "../../../ui/parts.tsx"
import { useShortcuts } from "../../common/shortcuts.ts"
import { Key, Keyed } from "./keyed.tsx"
import { actOf, type Options } from "./review-state.tsx"

/** Letters for steps, none of which does anything else meanwhile. */
const stepLetters = ["q", "w", "e", "y", "i", "f", "g", "h", "j"]

export interface Chosen {
  readonly reasons: ReadonlyArray<string>
  readonly steps: ReadonlyArray<string>
  readonly note: string
}

export const nothingChosen: Chosen = { reasons: [], steps: [], note: "" }

/** In the order of `all`. */
const toggled = (
  all: ReadonlyArray<string>,
  chosen: ReadonlyArray<string>,
  one: string
): ReadonlyArray<string> =>
  all.filter((other) => (other === one ? !chosen.includes(other) : chosen.includes(other)))

interface ChoiceProps {
  readonly legend: string
  readonly all: ReadonlyArray<{
    readonly id: string
    readonly label: string
    readonly letter: string | undefined
  }>
  readonly chosen: ReadonlyArray<string>
  readonly onToggle: (id: string) => void
}

const Choice = ({ all, chosen, legend, onToggle }: ChoiceProps) => (
  <fieldset class="panel-choice">
    <legend>{legend}</legend>
    {all.map(({ id, label, letter }) => (
      <label key={id}>
        <input type="checkbox" checked={chosen.includes(id)} onChange={() => onToggle(id)} />
        <span>{label}</span>
        {letter === undefined ? null : <Key letter={letter.toUpperCase()} />}
      </label>
    ))}
  </fieldset>
)

interface PanelProps {
  readonly decision: "declined" | "resubmission"
  readonly options: Options
  /** The titles of the steps, by their ids. */
  readonly titles: ReadonlyMap<string, string>
  /** Whether another person has to confirm. */
  readonly proposes: boolean
  readonly chosen: Chosen
  readonly onChange: (chosen: Chosen) => void
  readonly onDecide: () => void
  readonly onClose: () => void
}

export const DecisionPanel = (props: PanelProps) => {
  const { chosen, decision, onChange, onClose, onDecide, options, proposes, titles } = props
  const act = actOf(decision, proposes)
  const panel = useRef<HTMLElement>(null)
  const note = useRef<HTMLTextAreaElement>(null)
  const [lacksStep, setLacksStep] = useState(false)
  useLayoutEffect(() => panel.current?.focus(), [decision])

  const reasons = options.reasons.map(({ code, text }, index) => ({
    id: code,
    label: text,
    letter: index < 9 ? String(index + 1) : undefined
  }))
  const steps =
    decision === "resubmission"
      ? options.steps.map(({ id }, index) => ({
          id,
          label: titles.get(id) ?? id,
          letter: stepLetters[index]
        }))
      : []
  const idsOf = (all: ReadonlyArray<{ readonly id: string }>) => all.map(({ id }) => id)
  const toggleReason = (id: string) =>
    onChange({ ...chosen, reasons: toggled(idsOf(reasons), chosen.reasons, id) })
  const toggleStep = (id: string) => {
    setLacksStep(false)
    onChange({ ...chosen, steps: toggled(idsOf(steps), chosen.steps, id) })
  }
  const confirm = () => {
    if (decision === "resubmission" && chosen.steps.length === 0) setLacksStep(true)
    else onDecide()
  }
  useShortcuts({
    ...Object.fromEntries(
      reasons.flatMap(({ id, letter }) => (letter === undefined ? [] : [[letter, () => toggleReason(id)]]))
    ),
    ...Object.fromEntries(
      steps.flatMap(({ id, letter }) => (letter === undefined ? [] : [[letter, () => toggleStep(id)]]))
    ),
    n: () => note.current?.focus(),
    enter: confirm,
    escape: onClose
  })
  return (
    <section
      class="panel"
      aria-label={act}
      tabIndex={-1}
      ref={panel}
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          event.preventDefault()
          if (event.target === note.current) panel.current?.focus()
          else onClose()
        }
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) confirm()
      }}
    >
      <div class="panel-choices">
        {steps.length === 0 ? null : (
          <Choice legend="Ask again for" all={steps} chosen={chosen.steps} onToggle={toggleStep} />
        )}
        {reasons.length === 0 ? null : (
          <Choice legend="Reasons" all={reasons} chosen={chosen.reasons} onToggle={toggleReason} />
        )}
        <label>
          <span class="panel-title">
            Note for your colleagues <Key letter="N" />
          </span>
          <textarea
            ref={note}
            rows={3}
            value={chosen.note}
            maxLength={4000}
            onInput={({ currentTarget }) => onChange({ ...chosen, note: currentTarget.value })}
          />
        </label>
      </div>
      {lacksStep ? (
        <p class="error" role="alert">
          Choose at least one step to ask for again.
        </p>
      ) : null}
      <div class="row">
        <Keyed letter="Enter" look={decision === "declined" ? "decline" : "primary"} onClick={confirm}>
          {act}
        </Keyed>
        <Button onClick={onClose}>
          Cancel <Key letter="Esc" />
        </Button>
      </div>
    </section>
  )
}
