/** The layout of all steps: heading, form, and buttons. */
import type { ComponentChildren } from "preact"
import type { Json } from "../../json.ts"
import { Button } from "../../ui/parts.tsx"
import { useStore } from "../../ui/store.ts"
import { type I18n, useI18n } from "../i18n/i18n.ts"
import { inLanguage } from "../instances/config.ts"
import type { Step, StepOf } from "../instances/workflow.ts"
import { FailureAlert } from "../screens/failure-alert.tsx"
import { ErrorSummary, Heading, languagesFor, type Review, useFlow } from "../screens/parts.tsx"
import type { FlowState } from "../sessions/flow-state.ts"

/** The properties of every step. */
export interface StepProps<Type extends Step["type"]> {
  readonly step: StepOf<Type>
  readonly state: FlowState
  /** The unsaved input, or else the answer. */
  readonly draft: Json
}

interface ShellProps {
  /** The text below the heading, if the step has none of its own. */
  readonly intro: string
  readonly review?: Review
  /** The text of the button that submits. Default: to continue. */
  readonly action?: string
  readonly onSubmit: () => void
  /** Whether part of the step is still in progress. */
  readonly busy?: boolean
  /** The content below the buttons. */
  readonly after?: ComponentChildren
  readonly children?: ComponentChildren
}

/** A step's own title, or else the page's title for its type. */
export const titleOf = (step: Step, { t }: I18n, locales: ReadonlyArray<string>): string =>
  inLanguage(step.title, locales) ?? t(step.type === "unknown" ? "updateTitle" : `${step.type}Title`)

const none: Review = { errors: new Map(), round: 0 }

/** The layout of the current step. */
export const Shell = (props: ShellProps) => {
  const { action, after, busy = false, children, intro, onSubmit, review = none } = props
  const i18n = useI18n()
  const flow = useFlow()
  const state = useStore(flow.store)
  const { current: step } = state
  const { t } = i18n
  const index = state.steps.findIndex(({ id }) => id === step.id)
  const before = state.steps[index - 1]
  const locales = languagesFor(i18n, flow)
  // An upload in progress belongs to the submission.
  const waiting = busy || state.uploads > 0
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!state.saving && !waiting) onSubmit()
      }}
    >
      <Heading>{titleOf(step, i18n, locales)}</Heading>
      <p class="intro">{inLanguage(step.text, locales) ?? intro}</p>
      <ErrorSummary {...review} />
      {children}
      {state.failure === undefined ? null : <FailureAlert failure={state.failure} onRetry={flow.retry} />}
      <div class="actions">
        <Button look="primary" submits busy={state.saving || waiting}>
          {state.uploads > 0 ? t("uploading") : state.saving ? t("sending") : (action ?? t("continue"))}
        </Button>
        {step.optional ? (
          <Button busy={state.saving} onClick={() => flow.submit(step, { skipped: true })}>
            {t("skip")}
          </Button>
        ) : null}
        {after}
        {before === undefined ? null : (
          <Button look="quiet" busy={state.saving} onClick={() => flow.goTo(before)}>
            {t("back")}
          </Button>
        )}
      </div>
    </form>
  )
}
