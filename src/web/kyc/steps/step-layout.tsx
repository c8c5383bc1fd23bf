import type { ComponentChildren } from "preact"
import type { Json } from "../../json.ts"
import { Button } from "../../ui/parts.tsx"
import { useStore } from "../../ui/store.ts"
import { HandoffOffer } from "../handoffs/offer.tsx"
import { type I18n, useI18n } from "../i18n/i18n.ts"
import { inLanguage } from "../instances/config.ts"
import type { Step, StepOf } from "../instances/workflow.ts"
import { FailureAlert } from "../screens/failure-alert.tsx"
import { ErrorSummary, Heading, languagesFor, type Review, useFlow } from "../screens/parts.tsx"
import { readFiles } from "../sessions/answers.ts"
import type { FlowState } from "../sessions/flow-state.ts"

export interface StepProps<Type extends Step["type"]> {
  readonly step: StepOf<Type>
  readonly state: FlowState
  /** The unsaved input, or else the answer. */
  readonly draft: Json
}

interface ShellProps {
  /** Below the heading, if the step has no text of its own. */
  readonly intro: string
  readonly review?: Review
  /** Names the submit button. Default: "Continue". */
  readonly action?: string
  readonly onSubmit: () => void
  readonly busy?: boolean
  readonly after?: ComponentChildren
  readonly children?: ComponentChildren
}

export const titleOf = (step: Step, { t }: I18n, locales: ReadonlyArray<string>): string =>
  inLanguage(step.title, locales) ?? t(step.type === "unknown" ? "updateTitle" : `${step.type}Title`)

/** These offer a phone themselves, above their photos. */
const hasPhotos = ({ type }: Step) => type === "document" || type === "selfie" || type === "upload"

const none: Review = { errors: new Map(), round: 0 }

/** The current step: heading, form and buttons. */
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
  // Photos that were taken are not thrown away by a tap.
  const photographed =
    state.uploads > 0 || readFiles((state.drafts[step.id] ?? state.answers[step.id])?.files).length > 0
  const waiting = busy || state.uploads > 0
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!state.saving && !waiting) onSubmit()
      }}
    >
      {/* The partner may have written them in another language only. */}
      <Heading>
        <bdi>{titleOf(step, i18n, locales)}</bdi>
      </Heading>
      <p class="intro">
        <bdi>{inLanguage(step.text, locales) ?? intro}</bdi>
      </p>
      <ErrorSummary {...review} />
      {index === 0 && !hasPhotos(step) && state.steps.some(hasPhotos) ? <HandoffOffer /> : null}
      {children}
      {state.failure === undefined ? null : (
        <FailureAlert failure={state.failure} busy={state.saving} onRetry={flow.retry} />
      )}
      <div class="actions">
        <Button look="primary" submits busy={state.saving || waiting}>
          {state.uploads > 0 ? t("uploading") : state.saving ? t("sending") : (action ?? t("continue"))}
        </Button>
        {step.optional && !photographed ? (
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
