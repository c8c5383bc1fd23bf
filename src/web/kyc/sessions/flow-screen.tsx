/** An open session, at its current step. */
import { useEffect } from "preact/hooks"
import type { Json } from "../../json.ts"
import { useStore } from "../../ui/store.ts"
import { useEmbedder } from "../embedding/embedder.ts"
import { Away } from "../handoffs/away.tsx"
import { Handoff } from "../handoffs/handoff.tsx"
import { useI18n } from "../i18n/i18n.ts"
import { ErrorScreen } from "../screens/error-screen.tsx"
import { FailureAlert } from "../screens/failure-alert.tsx"
import { Countdown, Progress } from "../screens/layout.tsx"
import { FlowContext, Stop } from "../screens/parts.tsx"
import { Consent } from "../steps/consent.tsx"
import { DocumentPage } from "../steps/document.tsx"
import { Form } from "../steps/form.tsx"
import { Review } from "../steps/review.tsx"
import { Selfie } from "../steps/selfie.tsx"
import { Upload } from "../steps/upload.tsx"
import type { Flow } from "./create-flow.ts"
import { Ending } from "./ending.tsx"
import type { FlowState } from "./flow-state.ts"
import { useStepHistory } from "./step-history.ts"

const Current = ({ state }: { readonly state: FlowState }) => {
  const { current: step } = state
  const draft = state.drafts[step.id] ?? state.answers[step.id] ?? {}
  // The key separates the states of neighbouring steps of one type.
  const common = { key: step.id, state, draft }
  switch (step.type) {
    case "consent":
      return <Consent {...common} step={step} />
    case "form":
      return <Form {...common} step={step} />
    case "document":
      return <DocumentPage {...common} step={step} />
    case "selfie":
      return <Selfie {...common} step={step} />
    case "upload":
      return <Upload {...common} step={step} />
    case "review":
      return <Review {...common} step={step} />
    case "unknown":
      return <ErrorScreen kind="update" />
  }
}

const Leave = ({ flow, state: { current, saving } }: { readonly flow: Flow; readonly state: FlowState }) => {
  const { t } = useI18n()
  return (
    <footer class="leave">
      <Stop
        look="quiet"
        busy={saving}
        onStop={() => flow.leave(current.type === "unknown" ? "UNSUPPORTED_STEP" : "USER_CANCELLED")}
      >
        {t("stop")}
      </Stop>
    </footer>
  )
}

interface FlowScreenProps {
  readonly flow: Flow
  /** Reloads the session, which another device may have continued. */
  readonly onComeBack: (carry: Json) => void
}

export const FlowScreen = ({ flow, onComeBack }: FlowScreenProps) => {
  const state = useStore(flow.store)
  const { current, over } = state
  const { tell } = useEmbedder()
  const position = state.steps.findIndex(({ id }) => id === current.id) + 1

  useStepHistory(flow, current.id, over === undefined && state.handoff === "none")

  useEffect(() => {
    if (over !== undefined || current.type === "unknown") return
    tell({
      type: "step",
      step: { id: current.id, type: current.type },
      position,
      total: state.steps.length
    })
  }, [current.id, over === undefined])

  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      const { handoff, uploads } = flow.store.get()
      if (handoff === "away") return
      if (uploads > 0 || flow.hasUnsaved()) event.preventDefault()
    }
    // A phone tells nothing else before it ends a page.
    const hide = () => {
      if (document.visibilityState === "hidden") flow.saveDrafts()
    }
    addEventListener("beforeunload", ask)
    document.addEventListener("visibilitychange", hide)
    return () => {
      flow.rest()
      removeEventListener("beforeunload", ask)
      document.removeEventListener("visibilitychange", hide)
    }
  }, [flow])

  if (over !== undefined) {
    if ("error" in over) return <ErrorScreen kind={over.error} />
    const { config, id } = flow.session
    return (
      <Ending
        ending={over.ending}
        sessionId={id}
        redirect={config.redirect}
        fresh
        calledOff={over.elsewhere}
        receipt={flow.api.receipt}
        handedOver={flow.handedOver}
      />
    )
  }
  const countdown = (
    <Countdown until={flow.session.expiresAt} onOver={() => void flow.takeFailure({ kind: "expired" })} />
  )
  if (state.handoff !== "none") {
    return (
      <FlowContext.Provider value={flow}>
        {countdown}
        {state.failure === undefined ? null : (
          <FailureAlert failure={state.failure} busy={state.saving} onRetry={flow.retry} />
        )}
        {state.handoff === "away" ? <Away onComeBack={onComeBack} /> : <Handoff />}
      </FlowContext.Provider>
    )
  }
  return (
    <FlowContext.Provider value={flow}>
      <Progress step={position} total={state.steps.length} />
      {countdown}
      <Current state={state} />
      {current.type === "consent" ? null : <Leave key={current.id} flow={flow} state={state} />}
    </FlowContext.Provider>
  )
}
