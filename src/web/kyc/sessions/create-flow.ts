/** Runs a flow: holds its state and submits answers to the server. */
import { isObject, type Json, number, object, text } from "../../json.ts"
import { createStore } from "../../ui/store.ts"
import type { Ending, SessionApi, Status, StoredFile } from "../api.ts"
import { captcha } from "../captcha/captcha.ts"
import { documentNumbers } from "../dedup/document-numbers.ts"
import { forcesFailure } from "../dedup/duplicate.ts"
import type { Embedder } from "../embedding/embedder.ts"
import { receivedFiles } from "../files/received-files.ts"
import { type Answers, failure as failureByRule } from "../instances/rules.ts"
import type { Step } from "../instances/workflow.ts"
import type { Failure, Outcome } from "../request.ts"
import { progressKey } from "./answers.ts"
import type { Flow, FlowState, StepFailure } from "./flow.ts"
import { resultOf, type StepTime } from "./result.ts"
import type { Session } from "./session.ts"
import { stepOrder } from "./step-order.ts"
import { wasHandedOver } from "./token.ts"

/** @param carried what another device passed on with the session, or what this one kept when it handed the session off */
export const createFlow = (
  session: Session,
  api: SessionApi,
  { tell }: Embedder,
  locale: () => string,
  carried: Json
): Flow => {
  const { config, progress, workflow } = session
  const pictures = new Map<string, Blob>()
  const numbers = documentNumbers(session)
  const received = receivedFiles(session)
  let revision = number(progress.rev) ?? 0
  /** The revision that the server has. */
  let savedRevision = revision
  // If something was saved after the hand-off, the saved answers win over the carried drafts.
  const outdated = carried.rev !== revision
  const carriedDrafts = Object.entries(object(carried.drafts)).flatMap(([id, draft]) =>
    isObject(draft) && !outdated ? [[id, draft] as const] : []
  )
  for (const [id, known] of Object.entries(object(carried.numbers))) {
    if (typeof known === "string") numbers.keep(id, known)
  }
  const handedOver = wasHandedOver(session.id)
  const times = new Map<string, StepTime>()
  const wantsCaptcha = config.captcha.required ?? workflow.captcha
  const proof = captcha(api, session.siteKey, (verified) => tell({ type: "captcha", verified }))
  let camera = "unused"
  let began = Date.now()
  let attempts = 0
  let again: (() => Promise<void>) | undefined

  const { after, begin, stepsFor } = stepOrder(session, numbers.find)

  const begun = begin()
  const receivedDrafts = Object.entries(received.find(revision)).map(
    ([id, files]) => [id, { ...begun.answers[id], ...files }] as const
  )
  const store = createStore<FlowState>({
    ...begun,
    drafts: Object.fromEntries([...receivedDrafts, ...carriedDrafts]),
    uploads: 0,
    saving: false,
    handoff: "none",
    failure: undefined,
    over: undefined
  })
  let reviewed = store.get().current.type === "review"
  if (wantsCaptcha) proof.prepare()

  const show = (current: Step) => {
    began = Date.now()
    attempts = 0
    reviewed ||= current.type === "review"
    store.set({ current, saving: false, failure: undefined })
  }

  /** Ends all input and deletes what was entered. */
  const close = (over: FlowState["over"]) => {
    numbers.forget()
    received.forget()
    pictures.clear()
    store.set({ drafts: {}, saving: false, failure: undefined, over })
  }

  const finished = (ending: Ending) => close({ ending })

  /** The session was finished elsewhere, such as in another tab. A second request to finish it only returns how it ended. */
  const learnEnding = async (): Promise<void> => {
    again = learnEnding
    const outcome = await api.finish("cancelled", {})
    if (outcome.ok) finished(outcome.value)
    else store.set({ saving: false, failure: outcome.failure })
  }

  const takeFailure = (failure: Failure): boolean => {
    if (failure.kind === "unknown" || failure.kind === "expired") {
      close({ error: failure.kind })
      return true
    }
    if (failure.kind === "finished") {
      void learnEnding()
      return true
    }
    return false
  }

  const stopWith = (failure: StepFailure, retry: () => Promise<void>) => {
    again = retry
    if (failure.kind === "captcha" || !takeFailure(failure)) store.set({ saving: false, failure })
  }

  const end = async (status: Status, code: string | null): Promise<void> => {
    store.set({ saving: true, failure: undefined })
    if (status === "completed" && wantsCaptcha) {
      // Tries twice, because the first challenge may have expired. If both fail, the server records no success.
      const passed = (await proof.verified()) || (await proof.verified())
      if (!passed && config.captcha.required) return stopWith({ kind: "captcha" }, () => end(status, code))
    }
    const { answers } = store.get()
    const record = {
      session,
      locale: locale(),
      answers,
      numbers: numbers.all(answers),
      times: [...times.values()],
      camera,
      handedOver
    }
    const outcome = await api.finish(status, resultOf(record, code))
    if (outcome.ok) finished(outcome.value)
    else stopWith(outcome.failure, () => end(status, code))
  }

  /** In test mode, a document number can force a failure. */
  const forcedCode = (answers: Answers) =>
    workflow.steps.some(({ id }) =>
      forcesFailure(session, numbers.find(id, answers[id]) ?? text(answers[id]?.number) ?? "")
    )
      ? "TEST_FAIL"
      : null

  const complete = (answers: Answers) => {
    const code = forcedCode(answers)
    return end(code === null ? "completed" : "failed", code)
  }

  const keepFiles = () => received.keep(savedRevision, store.get().drafts)

  const edit = (step: Step, change: (before: Json) => Json) => {
    const { answers, drafts, saving, failure } = store.get()
    store.set({
      drafts: { ...drafts, [step.id]: change(drafts[step.id] ?? answers[step.id] ?? {}) },
      failure: saving ? failure : undefined
    })
    keepFiles()
  }

  const upload = async (file: Blob): Promise<Outcome<StoredFile>> => {
    store.set({ uploads: store.get().uploads + 1 })
    const stored = await api.upload(file)
    store.set({ uploads: store.get().uploads - 1 })
    if (stored.ok && file.type.startsWith("image/")) pictures.set(stored.value.id, file)
    return stored
  }

  const submit = async (step: Step, answer: Json, failureCode?: string): Promise<void> => {
    if (store.get().saving) return
    if (step.type === "review") return complete(store.get().answers)
    const answers = { ...store.get().answers, [step.id]: answer }
    const steps = stepsFor(answers)
    const { drafts: entries } = store.get()
    const next = after(step, { answers, drafts: entries, reviewed, steps })
    const draft = entries[step.id]
    store.set({ saving: true, failure: undefined })
    attempts++
    revision++
    const saved = await api.save({
      [progressKey(step.id)]: answer,
      current: next?.id ?? step.id,
      locale: locale(),
      rev: revision
    })
    if (!saved.ok) return stopWith(saved.failure, () => submit(step, answer, failureCode))
    savedRevision = revision
    keepFiles()
    times.set(step.id, { id: step.id, ms: Date.now() - began, retries: attempts - 1 })
    // The end user has acted, so the captcha may be submitted; nothing waits for it.
    if (wantsCaptcha) void proof.verified()
    store.set({ answers, steps })
    const code = failureCode ?? failureByRule(workflow.rules, answers)
    if (code !== undefined) return end("failed", code)
    // Input from during the save stays to be submitted.
    const { [step.id]: entered, ...drafts } = store.get().drafts
    if (entered !== draft) return store.set({ saving: false })
    store.set({ drafts })
    keepFiles()
    return next === undefined ? complete(answers) : show(next)
  }

  /** Saves the current step, so that the other device begins there. */
  const handOff = async (): Promise<void> => {
    const { current, saving, uploads } = store.get()
    if (saving || uploads > 0) return
    store.set({ saving: true, failure: undefined })
    revision++
    const saved = await api.save({ current: current.id, locale: locale(), rev: revision })
    if (!saved.ok) return stopWith(saved.failure, handOff)
    savedRevision = revision
    keepFiles()
    store.set({ saving: false, handoff: "under way" })
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
    edit,
    upload,
    picture: (fileId) => pictures.get(fileId),
    documentNumber: (stepId) => numbers.find(stepId, store.get().answers[stepId]),
    keepDocumentNumber: numbers.keep,
    noteCamera: (state) => {
      camera = state
    },
    mayHandOff: config.handoff,
    handedOver,
    handOff,
    goAway: () => store.set({ handoff: "away" }),
    stay: () => store.set({ handoff: "none" }),
    carry: () => {
      const { answers, drafts } = store.get()
      return { rev: revision, numbers: numbers.all(answers), drafts }
    },
    seen: (body) => {
      const { progress: present, status } = object(body.session)
      const { current, steps } = store.get()
      const index = steps.findIndex(({ id }) => id === (object(present).current ?? current.id))
      return {
        finished: status !== "created" && status !== "running",
        step: index === -1 ? undefined : index + 1
      }
    }
  }
}
