/** A preview's session: responds as the server would, without requests. */
import { type Json, object } from "../../json.ts"
import type { SessionApi } from "../api.ts"
import { documentNumbers } from "../dedup/document-numbers.ts"
import { readWorkflow } from "../instances/workflow.ts"
import { type Outcome, succeeded } from "../request.ts"
import { progressKey } from "../sessions/answers.ts"
import { readSession } from "../sessions/session.ts"
import type { Draft } from "./messages.ts"

/** No real session has this id. */
export const previewId = "preview"

const yearMillis = 31_536_000_000

/** Survives changes to the draft. */
export interface Saved {
  progress: Json
}

/** Marks earlier steps as skipped, so that the page continues with `step`. */
export const skippedTo = (step: string, { workflow }: Draft, { progress }: Saved): Json => {
  const { steps } = readWorkflow(workflow)
  const index = steps.findIndex(({ id }) => id === step)
  if (index === -1) return progress
  const before = steps.slice(0, index)
  return {
    ...Object.fromEntries(before.map(({ id }) => [progressKey(id), { skipped: true }])),
    ...progress,
    current: step
  }
}

/** Without captcha and handoffs, which need a server and look the same in every instance. */
const instanceOf = ({ config, workflow }: Draft) => ({
  instance_config: {
    ...config,
    captcha: { ...object(config.captcha), required: false },
    handoff: { ...object(config.handoff), enabled: false }
  },
  instance_workflow: workflow
})

const notAsked = async (): Promise<Outcome<never>> => ({ ok: false, failure: { kind: "refused" } })

const sessionOf = (draft: Draft, { progress }: Saved): Json => ({
  ...instanceOf(draft),
  id: previewId,
  mode: "prod",
  status: "running",
  expires_at: new Date(Date.now() + yearMillis).toISOString(),
  progress
})

/** Starts over, without input from an earlier preview in this tab. */
export const begun = (draft: Draft): Saved => {
  const saved = { progress: {} }
  documentNumbers(readSession(previewId, sessionOf(draft, saved), 0)).forget()
  return saved
}

export const previewApi = (draft: Draft, saved: Saved): SessionApi => {
  let files = 0
  return {
    read: async () => succeeded({ session: sessionOf(draft, saved), ahead: 0 }),
    save: async (progress) => {
      saved.progress = { ...saved.progress, ...progress }
      return succeeded(undefined)
    },
    // A preview never redirects.
    finish: async (status) => succeeded({ status, redirectUrl: "" }),
    matches: async () => succeeded(false),
    upload: async () => {
      files++
      return succeeded({ id: `${previewId}-${files}`, sha256: "" })
    },
    challenge: notAsked,
    redeem: notAsked,
    verify: notAsked,
    startReading: notAsked,
    reading: notAsked,
    handOff: notAsked,
    handoff: notAsked,
    cancelHandoff: notAsked,
    receipt: notAsked
  }
}
