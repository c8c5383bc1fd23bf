/** Runs a session through its workflow: holds the state and submits the answers. */
import { type Json, number, object, text } from "../../json.ts"
import { after, kycTimes, type Timer } from "../../timing.ts"
import { createStore } from "../../ui/store.ts"
import type { Ending, SessionApi, Status, StoredFile } from "../api.ts"
import { captcha } from "../captcha/captcha.ts"
import { documentNumbers } from "../dedup/document-numbers.ts"
import { forcesFailure, looksForDocument } from "../dedup/duplicate.ts"
import type { Embedder } from "../embedding/embedder.ts"
import { receivedFiles } from "../files/received-files.ts"
import { thumbnails } from "../files/thumbnails.ts"
import { type Answers, failure as failureByRule, readAnswers } from "../instances/rules.ts"
import type { Step } from "../instances/workflow.ts"
import type { Failure, Outcome } from "../request.ts"
import { draftKey, progressKey, restoreDrafts } from "./answers.ts"
import { browserMark } from "./browser-mark.ts"
import type { FlowState, StepFailure } from "./flow-state.ts"
import { resultOf, type StepTime } from "./result.ts"
import { serverReading } from "./server-reading.ts"
import { isFinished, type Session } from "./session.ts"
import { stepOrder } from "./step-order.ts"
import { wasHandedOver } from "./token.ts"

/** `carried`: unsaved input from another device, or from this one before a handoff. */
export const createFlow = (
  session: Session,
  api: SessionApi,
  { tell }: Embedder,
  locale: () => string,
  carried: Json
) => {
  const { config, progress, workflow } = session
  const pictures = new Map<string, Blob>()
  const numbers = documentNumbers(session)
  const received = receivedFiles(session)
  const small = thumbnails(session)
  let revision = number(progress.rev) ?? 0
  let savedRevision = revision
  // Answers saved after the handoff win over carried drafts.
  const carriedDrafts = carried.rev === revision ? readAnswers(carried.drafts) : {}
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
  let timer: Timer | undefined
  /** The last request that saves unfinished input. It ends before another save begins, which must win. */
  let draftsSaved: Promise<void> = Promise.resolve()
  /** The steps with input that the server does not have. */
  const unsaved = new Set<string>()
  /** The steps that were filled in with what a photo says. */
  const filled = new Set<string>()

  const { stepAfter, begin, stepsFor } = stepOrder(session, numbers.find)

  const savedDrafts = restoreDrafts(workflow.steps, progress)
  const begun = begin(savedDrafts)
  const receivedDrafts = Object.entries(received.find(revision)).map(
    ([id, files]) => [id, { ...begun.answers[id], ...savedDrafts[id], ...files }] as const
  )
  /** The steps whose unfinished input the server may have: what the page saved when it was left may arrive after this page has read the session. */
  const stored = new Set([...Object.keys(savedDrafts), ...receivedDrafts.map(([id]) => id)])
  const store = createStore<FlowState>({
    ...begun,
    drafts: {
      ...savedDrafts,
      ...Object.fromEntries(receivedDrafts),
      ...carriedDrafts
    },
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

  /** Deletes all input. */
  const close = (over: FlowState["over"]) => {
    numbers.forget()
    received.forget()
    small.forget()
    pictures.clear()
    store.set({ drafts: {}, saving: false, failure: undefined, over })
  }

  const finished = (ending: Ending, elsewhere: boolean) => close({ ending, elsewhere })

  /** The session was finished elsewhere: a second request only returns how it ended. */
  const learnEnding = async (): Promise<void> => {
    again = learnEnding
    const outcome = await api.finish("cancelled", {})
    if (outcome.ok) finished(outcome.value, true)
    else store.set({ saving: false, failure: outcome.failure })
  }

  const takeFailure = (failure: Failure): boolean => {
    if (failure.kind === "unknown" || failure.kind === "expired") close({ error: failure.kind })
    else if (failure.kind === "finished") void learnEnding()
    else return false
    return true
  }

  const stopWith = (failure: StepFailure, retry: () => Promise<void>) => {
    again = retry
    if (failure.kind === "captcha" || !takeFailure(failure)) store.set({ saving: false, failure })
  }

  const end = async (status: Status, code: string | null): Promise<void> => {
    store.set({ saving: true })
    if (status === "completed" && wantsCaptcha) {
      // Twice, because the first challenge may have expired. If both fail, the server records no success.
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
    const mark = status === "completed" ? browserMark(session.instance, config.sameBrowser) : undefined
    const outcome = await api.finish(status, resultOf(record, code), mark)
    if (outcome.ok) finished(outcome.value, outcome.value.status !== status)
    else stopWith(outcome.failure, () => end(status, code))
  }

  const mustFail = (answers: Answers) =>
    workflow.steps.some(({ id }) =>
      forcesFailure(session, numbers.find(id, answers[id]) ?? text(answers[id]?.number) ?? "")
    )

  /** No answer belongs to the captcha and the review, so their rules wait for the end. */
  const ruleAtEnd = (answers: Answers) =>
    failureByRule(workflow.rules, {
      ...Object.fromEntries(
        workflow.rules
          .map(({ after }) => after)
          .filter((id) => workflow.steps.every((step) => step.id !== id || step.type === "review"))
          .map((id) => [id, {}])
      ),
      ...answers
    })

  const complete = (answers: Answers) => {
    if (mustFail(answers)) return end("failed", "TEST_FAIL")
    const code = ruleAtEnd(answers)
    return code === undefined ? end("completed", null) : end("failed", code)
  }

  const keepFiles = () => received.keep(savedRevision, store.get().drafts)

  /** Without what only the tab may store: a number that is looked for in other sessions, and the lines that contain it. */
  const storable = (step: Step, draft: Json): Json => {
    if (step.type !== "document" || !looksForDocument(session, step)) return draft
    const { number: documentNumber, zone, ...others } = draft
    // The number of an answer must stay, until the step is submitted with another one.
    if (typeof documentNumber === "string" && store.get().answers[step.id] === undefined) {
      numbers.keep(step.id, documentNumber)
    }
    return others
  }

  /**
   * Saves unfinished input, so that it survives a reload and can be continued elsewhere. A failure is not shown: the input is
   * still here, and is saved with the next change or with its step.
   */
  const saveDrafts = (): void => {
    timer?.cancel()
    const { drafts, handoff, over, saving } = store.get()
    const changed = workflow.steps.filter(({ id }) => unsaved.has(id) && drafts[id] !== undefined)
    if (saving || over !== undefined || handoff !== "none" || changed.length === 0) return
    for (const { id } of changed) stored.add(id)
    const kept = Object.fromEntries(
      changed.map((step) => [draftKey(step.id), storable(step, drafts[step.id] ?? {})])
    )
    const rev = ++revision
    draftsSaved = draftsSaved.then(async () => {
      // Also if the end user leaves the page meanwhile.
      const saved = await api.save({ ...kept, locale: locale(), rev }, { keepalive: true })
      if (!saved.ok) return
      savedRevision = rev
      for (const { id } of changed) if (store.get().drafts[id] === drafts[id]) unsaved.delete(id)
      keepFiles()
    })
  }

  const edit = (step: Step, change: (before: Json) => Json) => {
    const { answers, drafts, saving, failure } = store.get()
    store.set({
      drafts: { ...drafts, [step.id]: change(drafts[step.id] ?? answers[step.id] ?? {}) },
      failure: saving ? failure : undefined
    })
    keepFiles()
    unsaved.add(step.id)
    timer?.cancel()
    timer = after(kycTimes.save, saveDrafts)
  }

  const upload = async (file: Blob): Promise<Outcome<StoredFile>> => {
    store.set({ uploads: store.get().uploads + 1 })
    const stored = await api.upload(file)
    store.set({ uploads: store.get().uploads - 1 })
    if (stored.ok && file.type.startsWith("image/")) {
      pictures.set(stored.value.id, file)
      void small.keep(stored.value.id, file)
    }
    return stored
  }

  const save = async (progress: Json, retry: () => Promise<void>): Promise<boolean> => {
    store.set({ saving: true })
    timer?.cancel()
    await draftsSaved
    revision++
    const saved = await api.save({ ...progress, locale: locale(), rev: revision })
    if (!saved.ok) stopWith(saved.failure, retry)
    else {
      savedRevision = revision
      store.set({ failure: undefined })
      keepFiles()
    }
    return saved.ok
  }

  const submit = async (step: Step, answer: Json, failureCode?: string): Promise<void> => {
    if (store.get().saving) return
    if (step.type === "review") return complete(store.get().answers)
    const answers = { ...store.get().answers, [step.id]: answer }
    const steps = stepsFor(answers)
    const { drafts: entries } = store.get()
    const next = stepAfter(step, { answers, drafts: entries, reviewed, steps })
    attempts++
    const progress = {
      [progressKey(step.id)]: answer,
      ...(stored.has(step.id) ? { [draftKey(step.id)]: null } : undefined),
      current: next?.id ?? step.id
    }
    if (!(await save(progress, () => submit(step, answer, failureCode)))) return
    times.set(step.id, { id: step.id, ms: Date.now() - began, retries: attempts - 1 })
    // The end user has acted, so the captcha may be submitted.
    if (wantsCaptcha) void proof.verified()
    unsaved.delete(step.id)
    stored.delete(step.id)
    store.set({ answers, steps })
    const code = failureCode ?? failureByRule(workflow.rules, answers)
    if (code !== undefined) return end("failed", code)
    // Input that changed during the save is still to be submitted.
    const { [step.id]: entered, ...drafts } = store.get().drafts
    if (entered !== entries[step.id]) {
      unsaved.add(step.id)
      return store.set({ saving: false })
    }
    store.set({ drafts })
    keepFiles()
    return next === undefined ? complete(answers) : show(next)
  }

  const handOff = async (): Promise<void> => {
    const { current, saving, uploads } = store.get()
    if (saving || uploads > 0) return
    // The other device begins at this step.
    if (await save({ current: current.id }, handOff)) store.set({ saving: false, handoff: "under way" })
  }

  return {
    session,
    api,
    store,
    /** With a failure code, ends the session as failed. */
    submit,
    goTo: show,
    leave: (code: "CONSENT_DECLINED" | "UNSUPPORTED_STEP" | "USER_CANCELLED") => end("cancelled", code),
    retry: (): Promise<void> => again?.() ?? Promise.resolve(),
    /** True if the failure ends the step. */
    takeFailure,
    /** `change` gets the current input, because a file may arrive late. Clears a failure about other input. */
    edit,
    /** Fills in what is still empty, from a photo. */
    fill: (step: Step, known: Json) => {
      filled.add(step.id)
      edit(step, (before) => ({ ...known, ...before }))
    },
    isFilled: ({ id }: Step) => filled.has(id),
    saveDrafts,
    /** The page shows another flow. */
    rest: () => timer?.cancel(),
    hasUnsaved: () => unsaved.size > 0,
    upload,
    readOnServer: serverReading(api),
    /** Only of files uploaded since the page was opened. */
    picture: (fileId: string) => pictures.get(fileId),
    /** The address of a small copy, which survives a reload. */
    thumbnail: small.find,
    /** A number that only the tab stores. */
    documentNumber: (stepId: string) => numbers.find(stepId, store.get().answers[stepId]),
    keepDocumentNumber: numbers.keep,
    noteCamera: (state: string) => {
      camera = state
    },
    mayHandOff: config.handoff,
    handedOver,
    /** Does nothing during an upload: the file would arrive on this device. */
    handOff,
    /** The other device has the session. */
    goAway: () => store.set({ handoff: "away" }),
    stay: () => store.set({ handoff: "none" }),
    /** What the other device needs in addition to the session. */
    carry: () => {
      const { answers, drafts } = store.get()
      return { rev: revision, numbers: numbers.all(answers), drafts }
    },
    /** The state of the session on the server; `step` is counted from 1. */
    seen: ({ progress: present, status }: Json) => {
      const { current, steps } = store.get()
      const index = steps.findIndex(({ id }) => id === (object(present).current ?? current.id))
      return { finished: isFinished(status), step: index === -1 ? undefined : index + 1 }
    }
  }
}

export type Flow = ReturnType<typeof createFlow>
