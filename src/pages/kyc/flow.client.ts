/** The course of a session through its workflow: what is shown, what has been answered, what the server has of it. */
import { isAnswered, progressKey, restore } from "./answers.client.ts"
import type { Ending, Failure, SessionApi, Status } from "./api.client.ts"
import { captcha } from "./captcha.client.ts"
import { forcesFailure } from "./duplicate.client.ts"
import type { Embedder } from "./embedder.client.ts"
import { type Json, number, text } from "./json.client.ts"
import { resultOf, type StepTime } from "./result.client.ts"
import { type Answers, failure as failureByRule, skipped } from "./rules.client.ts"
import type { Session } from "./session.client.ts"
import { createStore, type Store } from "./store.client.ts"
import { tab } from "./token.client.ts"
import type { Step } from "./workflow.client.ts"

/** Why something was not handed in: the server's failure, or that the security check was not passed. */
export type Trouble = Failure | { readonly kind: "captcha" }

export interface FlowState {
  readonly current: Step
  /** The steps that are gone through, as far as the answers tell. */
  readonly steps: ReadonlyArray<Step>
  readonly answers: Answers
  readonly saving: boolean
  readonly trouble: Trouble | undefined
  /** The session is over, or cannot be gone on with here. */
  readonly over: { readonly ending: Ending } | { readonly problem: "unknown" | "expired" } | undefined
}

export interface Flow {
  readonly session: Session
  readonly api: SessionApi
  readonly store: Store<FlowState>
  /** Hands in a step and goes on; with a code, the session fails with it. */
  readonly submit: (step: Step, answer: Json, failureCode?: string) => Promise<void>
  readonly goTo: (step: Step) => void
  /** Ends the session as its end user wishes. */
  readonly leave: (code: "CONSENT_DECLINED" | "USER_CANCELLED") => Promise<void>
  /** Does once more what did not succeed. */
  readonly retry: () => Promise<void>
  /** Takes a failure of something that a step did by itself; true when the step is over with it. */
  readonly takeFailure: (failure: Failure) => boolean
  readonly drafts: Map<string, Json>
  /** The document number of a step, which the tab remembers. */
  readonly secret: (stepId: string) => string | undefined
  readonly keepSecret: (stepId: string, value: string) => void
  readonly noteCamera: (state: string) => void
}

const secretKey = (session: Session, stepId: string) => `kyc:${session.id}:${stepId}`

export const createFlow = (
  session: Session,
  api: SessionApi,
  { tell }: Embedder,
  locale: () => string
): Flow => {
  const { config, progress, workflow } = session
  const drafts = new Map<string, Json>()
  const times = new Map<string, StepTime>()
  const wantsCaptcha = config.captcha.required ?? workflow.captcha
  const proof = captcha(api, session.siteKey, (verified) => tell({ type: "captcha", verified }))
  let revision = number(progress.rev) ?? 0
  let camera = "unused"
  let began = Date.now()
  let attempts = 0
  let again: (() => Promise<void>) | undefined

  const secret = (stepId: string) => tab.read(secretKey(session, stepId))
  const stepsFor = (answers: Answers) => {
    const needless = skipped(workflow.rules, answers)
    return workflow.steps.filter(({ id }) => !needless.has(id))
  }
  const answered = (answers: Answers) => (step: Step) => isAnswered(step, answers[step.id], secret(step.id))

  /** Where to go on: at the step that was last gone to, unless one before it is open. */
  const begin = (): Pick<FlowState, "answers" | "current" | "steps"> => {
    const answers = restore(workflow.steps, progress)
    const steps = stepsFor(answers)
    const open = steps.findIndex((step) => !answered(answers)(step))
    const last = steps.findIndex(({ id }) => id === progress.current)
    const index = last === -1 || (open !== -1 && open < last) ? open : last
    // A workflow always has a step: without any, it is the usual one.
    const current = steps[index] ??
      steps[steps.length - 1] ?? {
        id: "",
        type: "unknown",
        title: undefined,
        text: undefined,
        optional: false
      }
    return { answers, current, steps }
  }

  const store = createStore<FlowState>({ ...begin(), saving: false, trouble: undefined, over: undefined })
  if (wantsCaptcha) proof.prepare()

  const show = (current: Step) => {
    began = Date.now()
    attempts = 0
    store.set({ current, saving: false, trouble: undefined })
  }

  const finished = (ending: Ending) => {
    drafts.clear()
    for (const { id } of workflow.steps) tab.forget(secretKey(session, id))
    store.set({ saving: false, trouble: undefined, over: { ending } })
  }

  /** Finished elsewhere, as in another tab: asking to finish it again only tells how. */
  const learnEnding = async (): Promise<void> => {
    again = learnEnding
    const outcome = await api.finish("cancelled", {})
    if (outcome.ok) finished(outcome.value)
    else store.set({ saving: false, trouble: outcome.failure })
  }

  const takeFailure = (failure: Failure): boolean => {
    if (failure.kind === "unknown" || failure.kind === "expired") {
      drafts.clear()
      store.set({ saving: false, over: { problem: failure.kind } })
      return true
    }
    if (failure.kind === "finished") {
      void learnEnding()
      return true
    }
    return false
  }

  const stopWith = (trouble: Trouble, retry: () => Promise<void>) => {
    again = retry
    if (trouble.kind === "captcha" || !takeFailure(trouble)) store.set({ saving: false, trouble })
  }

  const end = async (status: Status, code: string | null): Promise<void> => {
    store.set({ saving: true, trouble: undefined })
    if (status === "completed" && wantsCaptcha) {
      // Twice, for the first challenge may have become too old. Without success the server notes that there was none.
      const passed = (await proof.verified()) || (await proof.verified())
      if (!passed && config.captcha.required) return stopWith({ kind: "captcha" }, () => end(status, code))
    }
    const { answers } = store.get()
    const secrets = Object.fromEntries(
      workflow.steps.flatMap(({ id }) => {
        const value = secret(id)
        return value === undefined ? [] : [[id, value]]
      })
    )
    const course = { session, locale: locale(), answers, secrets, times: [...times.values()], camera }
    const outcome = await api.finish(status, resultOf(course, code))
    if (outcome.ok) finished(outcome.value)
    else stopWith(outcome.failure, () => end(status, code))
  }

  /** In test mode a document number may ask for a failure. */
  const forcedCode = (answers: Answers) =>
    workflow.steps.some(({ id }) => forcesFailure(session, secret(id) ?? text(answers[id]?.number) ?? ""))
      ? "TEST_FAIL"
      : null

  const complete = (answers: Answers) => {
    const code = forcedCode(answers)
    return end(code === null ? "completed" : "failed", code)
  }

  const submit = async (step: Step, answer: Json, failureCode?: string): Promise<void> => {
    if (store.get().saving) return
    if (step.type === "review") return complete(store.get().answers)
    const answers = { ...store.get().answers, [step.id]: answer }
    const steps = stepsFor(answers)
    const next = steps[steps.findIndex(({ id }) => id === step.id) + 1]
    store.set({ saving: true, trouble: undefined })
    attempts++
    revision++
    const saved = await api.save({
      [progressKey(step.id)]: answer,
      current: next?.id ?? step.id,
      locale: locale(),
      rev: revision
    })
    if (!saved.ok) return stopWith(saved.failure, () => submit(step, answer, failureCode))
    drafts.delete(step.id)
    times.set(step.id, { id: step.id, ms: Date.now() - began, retries: attempts - 1 })
    // The reader has done something, so the captcha may be handed in; nobody waits for it.
    if (wantsCaptcha) void proof.verified()
    store.set({ answers, steps })
    const code = failureCode ?? failureByRule(workflow.rules, answers)
    if (code !== undefined) return end("failed", code)
    return next === undefined ? complete(answers) : show(next)
  }

  return {
    session,
    api,
    store,
    submit,
    goTo: show,
    leave: (code) => end("cancelled", code),
    retry: () => again?.() ?? Promise.resolve(),
    takeFailure,
    drafts,
    secret,
    keepSecret: (stepId, value) => tab.write(secretKey(session, stepId), value),
    noteCamera: (state) => {
      camera = state
    }
  }
}
